// Hands and instruments of the page, and what of the messages they hear.
import "./instruments.css";
import { byId, make } from "./dom";
import { Hand } from "./hand";
import { Inputs } from "./inputs";
import type { FromPage, ToPage } from "./messages";
import { InputsPanel } from "./panel_inputs";
import { PlotsPanel } from "./panel_plots";
import { SettingsPanel } from "./panel_settings";
import { TouchPanel } from "./panel_touch";
import { TreePanel } from "./panel_tree";
import type { Seen } from "./probe";
import { Senses } from "./senses";
import type { Stage } from "./stage";

export class Instruments {
  readonly hand: Hand;
  readonly senses = new Senses();
  readonly plots: PlotsPanel;
  readonly inputsPanel: InputsPanel;
  private readonly touch: TouchPanel;
  private readonly tree: TreePanel;
  private readonly settings: SettingsPanel;
  private readonly inputs: Inputs;
  private driving: boolean | null = null; // not known yet

  constructor(
    side: HTMLElement,
    stage: Stage,
    private readonly seen: Seen,
    send: (message: FromPage) => void,
  ) {
    const left = make("aside", { id: "left", "aria-label": "plots" });
    side.before(left);
    this.hand = new Hand(byId("stage"), stage, seen, send);
    this.touch = new TouchPanel(side, this.hand, send);
    this.inputs = new Inputs(send);
    this.inputsPanel = new InputsPanel(side, this.inputs, this.senses);
    this.settings = new SettingsPanel(side, send);
    this.tree = new TreePanel(side, (message) => this.seen.scene && send(message));
    this.plots = new PlotsPanel(left, send);
    this.tree.onPlot = (signal, unit) => this.plots.toggle(signal, unit);
    this.tree.plotted = (signal) => this.plots.has(signal);
    this.tree.onSelect = (node) => node > 0 && this.hand.select(node);
    this.plots.onChange = () => this.tree.mark();
  }

  /** With every frame. */
  frame(): void {
    if (this.hand.dragging) this.hand.draw();
  }

  hear(message: ToPage): void {
    switch (message.kind) {
      case "scene":
        for (const panel of [this.touch, this.inputsPanel, this.settings, this.tree]) panel.setScene(message);
        break;
      case "welcome": // also after a break of the line, when nothing is subscribed to, and all that hands moved is at rest
        this.inputs.forget();
        this.inputs.connected = true;
        this.plots.subscribe();
        this.tree.watch();
        break;
      case "status":
        this.drive(message.driver === this.seen.client);
        break;
      case "settings":
        this.settings.show(message);
        break;
      case "frozen":
        this.touch.setFrozen(message);
        break;
      case "samples":
        this.plots.add(message);
        break;
      case "values":
        this.tree.show(message);
        break;
      case "properties":
        this.tree.edit(message);
        break;
      case "outputs":
        this.senses.hear(message);
        break;
    }
  }

  /** The line is broken: the simulation has let go of all that hands hold, and says nothing. */
  cut(): void {
    this.driving = null;
    this.inputs.connected = false;
    this.inputs.driving = false; // until a status says otherwise
    this.senses.silence();
  }

  private drive(driving: boolean): void {
    if (driving === this.driving) return;
    this.driving = driving;
    this.hand.driving = this.inputs.driving = this.settings.driving = this.tree.driving = driving;
    if (driving) this.inputs.forget();
    else this.hand.letGo();
    this.touch.show();
    this.settings.enable();
    this.tree.enable();
  }
}
