// Properties of one thing, with a field for each of their numbers: what is written there acts while it runs.
import { make } from "./dom";
import type { FromPage, Owner, Property } from "./messages";

const AXES = ["x", "y", "z"];
const KINEMATIC = ["m", "m/s", "rad", "rad/s"]; // of places and velocities, which round-off makes a little less or more
const ROUND_OFF = 1e-9;
const WIDTH = 7; // characters of a field

/** As many digits as fit its field; its tooltip has them all. */
function plainNumber(value: number, unit: string): string {
  if (KINEMATIC.includes(unit) && Math.abs(value) < ROUND_OFF) return "0";
  let [text, digits] = ["", 6];
  do text = String(Number(value.toPrecision(--digits)));
  while (text.length > WIDTH && digits > 1);
  return text;
}

export class PropertyTable {
  readonly element = make("table", { class: "properties" });
  private readonly inputs = new Map<string, HTMLInputElement[]>();
  private fields = "";

  constructor(
    private readonly what: Owner["what"],
    private readonly name: string,
    private readonly send: (message: FromPage) => void,
  ) {
    Object.assign(this.element.dataset, { what, name });
  }

  /** Show what they are now; a field at which a hand is keeps what was written there. */
  show(owner: Owner, driving: boolean): void {
    const fields = JSON.stringify(owner.properties.map((p) => [p.field, p.values.length]));
    if (fields !== this.fields) {
      this.fields = fields;
      this.inputs.clear();
      this.element.replaceChildren(make("tbody", {}, ...owner.properties.map((property) => this.row(property))));
    }
    for (const { field, values, unit } of owner.properties) {
      this.inputs.get(field)?.forEach((input, k) => {
        input.disabled = !driving;
        const value = values[k];
        const text = value === null ? "" : plainNumber(value, unit);
        input.title = `${input.getAttribute("aria-label")}: ${value === null ? "none" : value}`;
        if (document.activeElement !== input && input.value !== text) input.value = text;
      });
    }
  }

  private row({ field, values, unit }: Property): HTMLElement {
    const word = field.replaceAll("_", " ");
    const inputs = values.map((_, k) => {
      const part = values.length === 3 ? ` ${AXES[k]}` : values.length === 2 ? [" low", " high"][k] : "";
      const label = `${word}${part} of ${this.name}${unit ? ` [${unit}]` : ""}`;
      const input = make("input", { type: "number", step: "any", placeholder: "none", "aria-label": label, title: label });
      Object.assign(input.dataset, { field, part: String(k) });
      input.addEventListener("change", () => this.put(field, k, input));
      input.addEventListener("keydown", (event) => event.key === "Enter" && input.blur());
      return input;
    });
    this.inputs.set(field, inputs);
    return make("tr", {}, make("th", { scope: "row" }, word, make("small", {}, unit ? ` ${unit}` : "")), make("td", {}, ...inputs));
  }

  /** The one number that was written; what the others show is rounded, and may be old. */
  private put(field: string, part: number, input: HTMLInputElement): void {
    if (input.validity.badInput) return;
    const value = input.value.trim() === "" ? null : Number(input.value);
    this.send({ kind: "edit", what: this.what, name: this.name, field, values: [value], part });
  }
}
