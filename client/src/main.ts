// The page: what comes over the line goes to the stage and the panels, what is pressed goes back.
import "./style.css";
import { byId } from "./dom";
import { readFrame } from "./frame";
import type { FromPage, ToPage } from "./messages";
import { note } from "./notes";
import { FiguresPanel } from "./panel_figures";
import { PicturePanel } from "./panel_picture";
import { TimePanel } from "./panel_time";
import { offerProbe, type Seen } from "./probe";
import { Link } from "./socket";
import { Stage } from "./stage";

const seen: Seen = { scene: null, frame: null, status: null, frames: 0, client: 0 };
const link = new Link();
const stage = new Stage(byId("stage"));
const time = new TimePanel(byId("bar"), send);
const picture = new PicturePanel(byId("side"), stage, send);
const figures = new FiguresPanel(byId("side"));
let failure = "";

function send(message: FromPage): void {
  if (!link.send(message)) note("Not connected: nothing was sent.");
}

link.onState = (state) => {
  const shown = byId("link");
  shown.textContent = state === "connected" ? "" : state === "lost" ? "connection lost, trying again" : "connecting";
  document.body.dataset.link = state;
};

link.onFrame = (data) => {
  const frame = readFrame(data);
  if (!frame || !seen.scene || frame.scene !== seen.scene.number || frame.count !== seen.scene.nodes.length) return;
  seen.frame = frame;
  seen.frames += 1;
  stage.show(frame);
  time.at(frame.time);
};

link.onMessage = (message: ToPage) => {
  switch (message.kind) {
    case "welcome":
      seen.client = message.client;
      picture.ask();
      break;
    case "scene":
      seen.scene = message;
      byId("name").textContent = message.name || "Gelenk";
      document.title = `${message.name || "view"} · Gelenk`;
      stage.setScene(message);
      picture.setScene(message);
      break;
    case "status":
      seen.status = message;
      time.show(message, seen.client);
      if (message.note && message.note !== failure) note(message.note);
      failure = message.note;
      break;
    case "figures":
      figures.show(message);
      break;
    case "problem":
      note(message.text);
      break;
  }
};

offerProbe(seen, stage, link);
link.start();
