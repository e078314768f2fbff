// The page: what comes over the line goes to the stage and the panels, what is pressed goes back.
import "./style.css";
import { byId } from "./dom";
import { giveKeysBack } from "./focus";
import { readFrame } from "./frame";
import { FormDialog } from "./form";
import { Ghosts } from "./ghosts";
import { Overlay } from "./hud";
import { Instruments } from "./instruments";
import type { FromPage, Look, ToPage } from "./messages";
import { note } from "./notes";
import { FiguresPanel } from "./panel_figures";
import { OwnPanels } from "./panel_own";
import { RecordPanel } from "./panel_record";
import { ReplayPanel } from "./panel_replay";
import { PicturePanel } from "./panel_picture";
import { TimePanel } from "./panel_time";
import { pictureMode } from "./picture_mode";
import { offerProbe, type Seen } from "./probe";
import { foldSide } from "./side";
import { Link } from "./socket";
import { Stage } from "./stage";
import { RunTrails } from "./run_trails";
import { Traces } from "./traces";

const seen: Seen = { scene: null, frame: null, status: null, frames: 0, client: 0 };
const link = new Link();
const stage = new Stage(byId("stage"));
const time = new TimePanel(byId("bar"), send);
const picture = new PicturePanel(byId("side"), stage, send);
const instruments = new Instruments(byId("side"), stage, seen, send);
const figures = new FiguresPanel(byId("side"));
const ghosts = new Ghosts(stage);
const trails = new RunTrails(stage);
const replay = new ReplayPanel(byId("bar"), send, trails);
const record = new RecordPanel(byId("side"), stage, send);
const own = new OwnPanels(byId("side"));
const overlay = new Overlay();
const form = new FormDialog(byId("title"), send);
const traces = new Traces(send);
stage.space.add(traces.group);
foldSide(byId("side"), byId("title"));
giveKeysBack();
const asPicture = pictureMode(stage);
let failure = "";
let look: Look | null = null; // where a program lets pages look from

/** Once there is something to look at. */
function obey(): void {
  const there = !look?.rig || stage.rigs.some(({ name }) => name === look?.rig);
  if (look && there && seen.frame && look.number !== stage.looked) stage.obey(look);
}

function send(message: FromPage): void {
  if (!link.send(message)) note("Not connected: nothing was sent.");
}

link.onState = (state) => {
  const shown = byId("link");
  shown.textContent = state === "connected" ? "" : state === "lost" ? "connection lost, trying again" : "connecting";
  document.body.dataset.link = state;
  if (state === "lost") instruments.cut();
};

link.onFrame = (data) => {
  const frame = readFrame(data);
  if (!frame || !seen.scene || frame.scene !== seen.scene.number || frame.count !== seen.scene.nodes.length) return;
  seen.frame = frame;
  seen.frames += 1;
  ghosts.show(frame);
  traces.at(frame.time);
  stage.show(frame);
  instruments.frame();
  time.at(frame.time);
  replay.at(frame.time);
  asPicture();
  obey();
};

link.onMessage = (message: ToPage) => {
  switch (message.kind) {
    case "welcome":
      seen.client = message.client;
      picture.ask();
      traces.ask();
      break;
    case "scene":
      seen.scene = message;
      seen.frame = null; // the last one is of another scene
      byId("name").textContent = message.name || "Gelenk";
      document.title = `${message.name || "view"} · Gelenk`;
      stage.setScene(message);
      ghosts.setScene(message);
      replay.setScene(message);
      record.setScene(message);
      picture.setScene(message);
      break;
    case "status":
      seen.status = message;
      time.show(message, seen.client);
      replay.watch(message, seen.client);
      record.watch(message, seen.client);
      if (message.note && message.note !== failure) note(message.note);
      failure = message.note;
      break;
    case "figures":
      figures.show(message);
      break;
    case "recording":
      record.show(message);
      break;
    case "recorded":
      record.done(message);
      break;
    case "playback":
      replay.show(message, seen.scene?.ghosts ?? []);
      break;
    case "trails":
      trails.set(message);
      break;
    case "panels":
      own.show(message);
      break;
    case "light":
      stage.light(message);
      break;
    case "scenery":
      stage.scenery.set(message);
      break;
    case "rigs":
      stage.rigs = message.rigs;
      picture.setRigs();
      obey();
      break;
    case "hud":
      overlay.show(message);
      break;
    case "form":
      form.show(message);
      break;
    case "traces":
      traces.add(message);
      stage.refresh();
      break;
    case "look":
      look = message;
      obey();
      break;
    case "problem":
      note(message.text);
      break;
  }
  instruments.hear(message);
};

offerProbe(seen, stage, link, instruments, { ghosts, trails, traces });
link.start();
