// Parameters and set-points: a slider and a number each, or a switch.
import { make } from "./dom";
import type { FromPage, Scene, Setting, Settings } from "./messages";

const EVERY = 80; // between two messages of one slider [ms]
const OWN = 800; // so long after a change of one's own, what comes from the simulation does not move the slider [ms]

export class SettingsPanel {
  private readonly body = make("div");
  private readonly panel = make("details", { id: "settings", class: "panel" }, make("summary", {}, "Parameters"), this.body);
  private readonly dials = new Map<string, Dial>();
  private declared = "";
  driving = true;

  constructor(
    place: HTMLElement,
    private readonly send: (message: FromPage) => void,
  ) {
    place.append(this.panel);
  }

  setScene(scene: Scene): void {
    const declared = JSON.stringify([scene.parameters, scene.inputs].map((all) => all.map((s) => ({ ...s, value: 0 }))));
    if (declared === this.declared) return;
    this.declared = declared;
    this.dials.clear();
    this.body.replaceChildren(
      ...this.section("", scene.parameters, (name, value) => this.send({ kind: "set_parameter", name, value })),
      ...this.section("Set-points", scene.inputs, (name, value) => this.send({ kind: "set_input", name, value })),
    );
    this.panel.hidden = this.dials.size === 0;
    this.enable();
  }

  private section(title: string, settings: Setting[], put: (name: string, value: number) => void): Node[] {
    if (settings.length === 0) return [];
    const dials = settings.map((setting) => {
      const dial = new Dial(setting, put);
      this.dials.set(`${title}/${setting.name}`, dial);
      return dial.element;
    });
    return title ? [make("h3", {}, title), ...dials] : dials;
  }

  show(settings: Settings): void {
    for (const [name, value] of Object.entries(settings.parameters)) this.dials.get(`/${name}`)?.show(value);
    for (const [name, value] of Object.entries(settings.inputs)) this.dials.get(`Set-points/${name}`)?.show(value);
  }

  enable(): void {
    for (const dial of this.dials.values()) dial.enable(this.driving);
  }
}

class Dial {
  readonly element: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly number: HTMLInputElement | null = null;
  private changedAt = -1e9;
  private sentAt = -1e9;
  private timer = 0;
  private showing = 0;

  constructor(
    private readonly setting: Setting,
    private readonly put: (name: string, value: number) => void,
  ) {
    const { name, least, most, unit, label } = setting;
    const word = (label || name) + (unit ? ` [${unit}]` : "");
    if (setting.switch) {
      this.slider = make("input", { type: "checkbox", "aria-label": word, "data-name": name });
      this.element = make("label", { class: "dial switch" }, this.slider, word);
      this.slider.addEventListener("change", () => this.changed(this.slider.checked ? most : least));
    } else {
      const step = 10 ** Math.floor(Math.log10((most - least) / 200));
      const common = { min: least, max: most, "data-name": name };
      this.slider = make("input", { type: "range", step, "aria-label": word, ...common });
      this.number = make("input", { type: "number", step: "any", "aria-label": `${word} as a number`, "data-name": name });
      this.element = make("div", { class: "dial" }, make("span", { class: "word" }, word), this.number, this.slider);
      this.slider.addEventListener("input", () => this.changed(Number(this.slider.value)));
      this.number.addEventListener("change", () => this.changed(Number(this.number?.value)));
    }
    this.place(setting.value);
  }

  private changed(value: number): void {
    if (!Number.isFinite(value)) return;
    this.changedAt = performance.now();
    clearTimeout(this.showing);
    this.place(value);
    clearTimeout(this.timer);
    const wait = Math.max(0, this.sentAt + EVERY - performance.now());
    this.timer = window.setTimeout(() => {
      this.sentAt = performance.now();
      this.put(this.setting.name, value);
    }, wait);
  }

  /** Show what it is now; while the hand is at it, or its own value is still on the way, a little later. */
  show(value: number): void {
    clearTimeout(this.showing);
    const busy = document.activeElement === this.number || performance.now() - this.changedAt <= OWN;
    if (busy) this.showing = window.setTimeout(() => this.show(value), OWN);
    else this.place(value);
  }

  enable(on: boolean): void {
    this.slider.disabled = !on;
    if (this.number) this.number.disabled = !on;
  }

  private place(value: number): void {
    if (this.setting.switch) this.slider.checked = value > 0.5 * (this.setting.least + this.setting.most);
    else this.slider.value = String(value);
    if (this.number) this.number.value = String(Number(value.toPrecision(6)));
  }
}
