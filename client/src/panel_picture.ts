// The panel of the picture: how one looks, how many pictures there are, what they show.
import type { Aim, Shows, Side } from "./cameras";
import { make } from "./dom";
import { COLOURINGS, type Colouring, LABELS, type LayerName, SCALES } from "./layers";
import type { FromPage, Scene } from "./messages";
import type { Stage } from "./stage";
import { STEREO, type Stereo } from "./stereo";
import type { Count } from "./viewports";

const AIMS: Record<Exclude<Aim, "rig">, string> = { orbit: "Free", follow: "Follow", body: "Fixed to body" };
const SHOWS: Record<Shows, string> = { layers: "Layers below", visual: "Bodies alone", proxies: "What touches alone" };
const SIDES: [Side, string, string][] = [["home", "Whole", "f"], ["top", "Top", "1"], ["front", "Front", "2"], ["side", "Side", "3"]];
const COUNTS: Count[] = [1, 2, 4];
const TURN = Math.PI / 24; // a press of an arrow key [rad]

export class PicturePanel {
  private readonly aim = make("select", { id: "aim" });
  private readonly body = make("select", { id: "aim-body", "aria-label": "body that the camera follows" });
  private readonly shows = make("select", { id: "shows" });
  private readonly stereo = make("select", { id: "stereo" });
  private readonly colouring = make("select", { id: "colouring" });
  private readonly least = make("span", { id: "scale-least" });
  private readonly most = make("span", { id: "scale-most" });
  private readonly scale = make("div", { id: "scale", hidden: true }, make("i"), this.least, this.most);
  private readonly trail = make("select", { id: "trail" });
  private readonly seconds = make("input", {
    id: "trail-seconds", type: "number", min: 0.1, max: 1000, step: "any", value: 3, "aria-label": "length of the trail in seconds",
  });
  private readonly counts: HTMLButtonElement[];
  private readonly boxes = new Map<LayerName, HTMLInputElement>();
  private scene: Scene | null = null;

  constructor(
    place: HTMLElement,
    private readonly stage: Stage,
    private readonly send: (message: FromPage) => void,
  ) {
    for (const [value, text] of Object.entries(AIMS)) this.aim.append(make("option", { value }, text));
    for (const [value, text] of Object.entries(COLOURINGS)) this.colouring.append(make("option", { value }, text));
    for (const [value, text] of Object.entries(SHOWS)) this.shows.append(make("option", { value }, text));
    for (const [value, text] of Object.entries(STEREO)) this.stereo.append(make("option", { value }, text));
    this.shows.addEventListener("change", () => stage.setShows(this.shows.value as Shows));
    this.stereo.addEventListener("change", () => stage.setStereo(this.stereo.value as Stereo));
    const sides = SIDES.map(([side, text, key]) => {
      const button = make("button", { type: "button", "data-side": side, title: `${text.toLowerCase()} (${key})` }, text);
      button.addEventListener("click", () => stage.look(side, undefined, side === "home"));
      return button;
    });
    this.counts = COUNTS.map((count) => {
      const button = make("button", { type: "button", "data-count": count, title: "viewports (v)" }, String(count));
      button.addEventListener("click", () => this.setCount(count));
      return button;
    });
    const boxes = stage.layers.all.map((name) => {
      const box = make("input", { type: "checkbox", "data-layer": name, checked: stage.layers.has(name) });
      box.addEventListener("change", () => this.setLayer(name, box.checked));
      this.boxes.set(name, box);
      return make("label", { class: "check" }, box, LABELS[name]);
    });
    place.append(
      make("details", { id: "picture", class: "panel" },
        make("summary", {}, "Picture"),
        row("Camera", "aim", this.aim),
        row("", "", this.body),
        make("div", { class: "buttons", role: "group", "aria-label": "look from" }, ...sides),
        row("Views", "", make("div", { class: "buttons", role: "group", "aria-label": "viewports" }, ...this.counts)),
        row("This view shows", "shows", this.shows),
        row("Stereo", "stereo", this.stereo),
        row("Colour by", "colouring", this.colouring),
        this.scale,
        make("div", { class: "checks", role: "group", "aria-label": "layers" }, ...boxes),
        row("Trail of", "trail", this.trail),
        row("Seconds", "trail-seconds", this.seconds),
      ),
    );
    this.aim.addEventListener("change", () => this.follow());
    this.body.addEventListener("change", () => this.follow());
    this.colouring.addEventListener("change", () => {
      const colouring = this.colouring.value as Colouring;
      stage.setColouring(colouring);
      this.scale.hidden = !SCALES[colouring];
      this.ask();
    });
    stage.onScale = (ends) => this.showScale(ends);
    for (const control of [this.trail, this.seconds]) control.addEventListener("change", () => this.setTrail());
    stage.viewports.onActive = () => this.mark();
    window.addEventListener("keydown", (event) => this.key(event));
    this.mark();
  }

  /** Bodies of another scene; what was chosen stays chosen if it is still there. */
  setScene(scene: Scene): void {
    this.scene = scene;
    const moving = scene.nodes.flatMap((node, i) => (node.static ? [] : [{ name: node.name, i }]));
    const [followed, trailed] = [this.body.selectedOptions[0]?.textContent, this.trail.value];
    this.body.replaceChildren(...moving.map(({ name, i }) => make("option", { value: i }, name)));
    this.trail.replaceChildren(
      make("option", { value: "" }, "none"),
      ...moving.map(({ name }) => make("option", { value: name }, name)),
    );
    const there = moving.find(({ name }) => name === followed);
    if (there) this.body.value = String(there.i);
    this.trail.value = moving.some(({ name }) => name === trailed) ? trailed : "";
    this.mark();
  }

  /** Tell the simulation what to compute; also after a line was lost. */
  ask(): void {
    this.send(this.stage.layers.wanted);
  }

  /** Numbers at the ends of the colours, as the picture has them now. */
  private showScale(ends: [number, number] | null): void {
    const scale = SCALES[this.stage.coloured];
    if (!scale || !ends) return;
    const [what, unit] = scale;
    const [least, most] = ends.map((value) => `${short(value)} ${unit}`);
    if (this.least.textContent !== least) this.least.textContent = least;
    if (this.most.textContent !== `${what} ${most}`) this.most.textContent = `${what} ${most}`;
  }

  private setLayer(name: LayerName, on: boolean): void {
    this.stage.setLayer(name, on);
    if (name === "contacts") this.ask();
  }

  private setCount(count: Count): void {
    this.stage.setViewports(count);
    this.mark();
  }

  private setTrail(): void {
    const seconds = Math.min(1000, Math.max(0.1, Number(this.seconds.value) || 3));
    this.seconds.value = String(seconds);
    this.stage.setTrails(this.trail.value ? [this.trail.value] : [], seconds);
  }

  /** Cameras that the world declares, to choose beside the usual ones. */
  setRigs(): void {
    for (const option of [...this.aim.options]) if (option.value.startsWith("rig:")) option.remove();
    this.aim.append(...this.stage.rigs.map(({ name }) => make("option", { value: `rig:${name}` }, name)));
    this.mark();
  }

  private follow(): void {
    const rig = this.stage.rigs.find(({ name }) => this.aim.value === `rig:${name}`);
    if (rig) {
      this.stage.through(rig);
      return;
    }
    this.stage.follow(this.aim.value as Aim, Number(this.body.value) || 0);
    this.mark();
  }

  /** Show what the picture at work has. */
  private mark(): void {
    const { eye, count } = this.stage.viewports;
    this.aim.value = eye.rigging ? `rig:${eye.rigging.rig.name}` : eye.aim;
    this.shows.value = eye.shows;
    this.aim.disabled = this.body.options.length === 0;
    this.body.disabled = eye.aim === "orbit" || eye.aim === "rig";
    if (!this.body.disabled && this.scene) this.body.value = String(eye.node);
    for (const button of this.counts) button.setAttribute("aria-pressed", String(Number(button.dataset.count) === count));
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
    const side = SIDES.find(([, , key]) => key === event.key);
    const { eye, count } = this.stage.viewports;
    const arrows: Record<string, [number, number]> = {
      ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, TURN], ArrowDown: [0, -TURN],
    };
    if (side) this.stage.look(side[0], undefined, side[0] === "home");
    else if (event.key === "v") this.setCount(COUNTS[(COUNTS.indexOf(count) + 1) % COUNTS.length]);
    else if (event.key === "c" && this.stage.rigs.length > 0) this.stage.nextRig();
    else if (event.key === "c" && !this.aim.disabled) {
      this.aim.selectedIndex = (this.aim.selectedIndex + 1) % this.aim.options.length;
      this.follow();
    } else if (event.shiftKey && arrows[event.key]) eye.turn(...arrows[event.key]);
    else if (event.key === "+") eye.turn(0, 0, 1.15);
    else if (event.key === "-") eye.turn(0, 0, 1 / 1.15);
    else return;
    event.preventDefault();
    this.stage.refresh();
  }
}

/** A number in few characters. */
function short(value: number): string {
  return Math.abs(value) < 1e-9 ? "0" : String(Number(value.toPrecision(3)));
}

function row(text: string, target: string, control: HTMLElement): HTMLElement {
  return make("div", { class: "field" }, text ? make("label", target ? { for: target } : {}, text) : make("span"), control);
}
