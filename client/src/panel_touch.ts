// What can be done to a body: the one that was selected, and new ones.
import { make } from "./dom";
import type { Hand } from "./hand";
import type { Add, Frozen, FromPage, Scene } from "./messages";
import { forgetNotes } from "./notes";

type Shape = Add["shape"];

const SIZES: Record<Shape, [string, number][]> = {
  box: [["x", 0.4], ["y", 0.4], ["z", 0.4]],
  sphere: [["radius", 0.2]],
  capsule: [["radius", 0.15], ["length", 0.4]],
  cylinder: [["radius", 0.2], ["length", 0.4]],
  cone: [["radius", 0.2], ["height", 0.4]],
  ellipsoid: [["x", 0.2], ["y", 0.3], ["z", 0.4]],
  torus: [["radius", 0.3], ["tube", 0.1]],
};

export class TouchPanel {
  private readonly who = make("output", { id: "selected", "aria-label": "selected body" }, "nothing selected");
  private readonly push = button("push", "Push", "push it away from the viewer");
  private readonly freeze = button("freeze", "Freeze", "hold it where it is");
  private readonly remove = button("delete", "Delete", "take it out of the model");
  private readonly shape = make("select", { id: "add-shape", "aria-label": "shape" });
  private readonly sizes = make("div", { class: "fields" });
  private readonly place = make("div", { class: "fields" });
  private readonly density = field("density", 1000, "kg/m³", 0.001);
  private readonly addName = make("input", { id: "add-name", "aria-label": "name of the new body", placeholder: "name" });
  private readonly addOne = button("add", "Add", "put it into the model");
  private readonly panel: HTMLElement;
  private scene: Scene | null = null;
  private frozen: string[] = [];
  private name = "";

  constructor(
    place: HTMLElement,
    private readonly hand: Hand,
    private readonly send: (message: FromPage) => void,
  ) {
    const drags = make("input", { id: "drags", type: "checkbox", checked: true });
    drags.addEventListener("change", () => (hand.drags = drags.checked));
    const strength = number("strength", 1, 0.01, 100, (value) => (hand.strength = value));
    const speed = number("push-speed", 1, 0.001, 1000, (value) => (hand.push = value));
    for (const name of Object.keys(SIZES)) this.shape.append(make("option", { value: name }, name));
    for (const [k, axis] of ["x", "y", "z"].entries()) this.place.append(field(axis, k === 2 ? 2 : 0, "m"));
    const adding = make(
      "details", { class: "inner", id: "adding" }, make("summary", {}, "Add a body"),
      make("div", { class: "row" }, this.shape, this.addName),
      make("p", { class: "hint" }, "sizes [m]"), this.sizes,
      make("p", { class: "hint" }, "place [m]"), this.place,
      make("div", { class: "fields" }, this.density), this.addOne,
    );
    this.panel = make(
      "details", { id: "touch", class: "panel", open: true }, make("summary", {}, "Touch"),
      make("div", { class: "row" }, this.who),
      make("div", { class: "row" }, this.push, this.freeze, this.remove),
      make("label", { class: "row" }, drags, "the pointer drags bodies"),
      make("div", { class: "row spread" }, make("label", { for: "strength" }, "strength of the hand"), strength),
      make("div", { class: "row spread" }, make("label", { for: "push-speed" }, "push (shift + press) [m/s]"), speed),
      adding,
    );
    place.append(this.panel);
    this.shape.addEventListener("change", () => this.showSizes());
    this.addOne.addEventListener("click", () => this.add());
    this.push.addEventListener("click", () => hand.pushCentre(hand.selected));
    this.freeze.addEventListener("click", () => {
      send({ kind: "freeze", body: this.name, on: !this.frozen.includes(this.name) });
    });
    this.remove.addEventListener("click", () => send({ kind: "delete", body: this.name }));
    hand.onSelect = () => this.show();
    this.showSizes();
    this.show();
  }

  setScene(scene: Scene): void {
    this.scene = scene;
    this.panel.hidden = scene.duration !== null; // what is recorded cannot be touched
    this.hand.letGo();
    this.hand.select(scene.nodes.findIndex((node, k) => k > 0 && node.name === this.name));
  }

  setFrozen(message: Frozen): void {
    this.frozen = message.bodies;
    this.show();
  }

  /** Only who steers may touch. */
  show(): void {
    const node = this.scene && this.hand.selected > 0 ? this.scene.nodes[this.hand.selected] : null;
    this.name = node?.name ?? "";
    const frozen = this.frozen.includes(this.name);
    const mass = node && !node.static ? `, ${Number(node.mass.toPrecision(4))} kg` : node ? ", static" : "";
    this.who.value = node ? `${node.name}${mass}${frozen ? ", frozen" : ""}` : "press a body to select it";
    const able = node !== null && this.hand.driving;
    this.push.disabled = !able || node.static || frozen;
    this.freeze.disabled = !able || node.static || node.what !== "body";
    this.freeze.textContent = frozen ? "Unfreeze" : "Freeze";
    this.remove.disabled = !able;
    this.addOne.disabled = !this.hand.driving;
  }

  private showSizes(): void {
    this.sizes.replaceChildren(...SIZES[this.shape.value as Shape].map(([word, value]) => field(word, value, "m", 1e-6)));
  }

  private add(): void {
    forgetNotes();
    this.send({
      kind: "add",
      shape: this.shape.value as Shape,
      sizes: values(this.sizes),
      at: values(this.place) as [number, number, number],
      density: Number(this.density.querySelector("input")?.value) || 1000,
      name: this.addName.value.trim(),
    });
    this.addName.value = "";
  }
}

function button(id: string, text: string, title: string): HTMLButtonElement {
  return make("button", { id, type: "button", title }, text);
}

function field(word: string, value: number, unit: string, least?: number): HTMLLabelElement {
  const input = make("input", { type: "number", step: "any", value, title: unit });
  if (least !== undefined) input.min = String(least);
  return make("label", { class: "field" }, word, input);
}

function values(place: HTMLElement): number[] {
  return [...place.querySelectorAll("input")].map((input) => Number(input.value) || 0);
}

function number(
  id: string, value: number, least: number, most: number, change: (value: number) => void,
): HTMLInputElement {
  const input = make("input", { id, type: "number", step: "any", min: least, max: most, value });
  input.addEventListener("change", () => {
    const now = Math.min(most, Math.max(least, Number(input.value) || value));
    input.value = String(now);
    change(now);
  });
  return input;
}
