// What can be put on while it runs: joints and springs between bodies where they are now, motors on joints.
import { make } from "./dom";
import type { Attach, FromPage, Scene } from "./messages";
import { forgetNotes, note } from "./notes";

type What = Attach["what"];
const KINDS: What[] = ["hinge", "slider", "ball", "rigid", "spring", "motor"];
const AXES: Record<string, [number, number, number]> = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };

export class AttachForm {
  readonly element: HTMLElement;
  private readonly what = choice("attach-what", "what to attach", KINDS);
  private readonly a = choice("attach-a", "first body, or joint of a motor", []);
  private readonly b = choice("attach-b", "second body", []);
  private readonly axis = choice("attach-axis", "axis", Object.keys(AXES));
  private readonly value = make("input", { id: "attach-value", type: "number", step: "any", value: 100, "aria-label": "value" });
  private readonly at = Object.keys(AXES).map((axis) =>
    make("input", { type: "number", step: "any", placeholder: axis, "aria-label": `${axis} of the place in the world [m]` }),
  );
  private readonly axisRow = row("axis", this.axis);
  private readonly valueWord = make("span");
  private readonly valueRow = make("label", { class: "row spread" }, this.valueWord, this.value);
  private readonly secondRow = row("second", this.b);
  private readonly placeWord = make("p", { class: "hint" });
  private readonly placeRow = make("div", {},
    this.placeWord,
    make("div", { class: "fields" }, ...this.at.map((input) => make("span", { class: "field" }, input))),
  );
  private readonly button = make("button", { id: "attach", type: "button" }, "Attach");
  private scene: Scene | null = null;

  constructor(send: (message: FromPage) => void) {
    this.element = make("details", { class: "inner", id: "attaching" }, make("summary", {}, "Attach a joint, spring or motor"),
      row("what", this.what), row("first", this.a), this.secondRow, this.axisRow, this.valueRow, this.placeRow, this.button,
    );
    this.what.addEventListener("change", () => this.fill());
    this.button.addEventListener("click", () => {
      forgetNotes();
      const message = this.message();
      if (typeof message === "string") note(message);
      else send(message);
    });
  }

  setScene(scene: Scene): void {
    this.scene = scene;
    this.element.hidden = scene.duration !== null;
    this.fill();
  }

  enable(on: boolean): void {
    this.button.disabled = !on;
  }

  /** What there is to choose from, and which fields the chosen kind has. */
  private fill(): void {
    if (!this.scene) return;
    const what = this.what.value as What;
    const [motor, spring] = [what === "motor", what === "spring"];
    const names = this.scene.nodes.map((node) => node.name);
    put(this.a, motor ? this.scene.joints.flatMap(driven) : names);
    put(this.b, names.filter((_, k) => k > 0 && !this.scene?.nodes[k].static));
    this.secondRow.hidden = motor;
    this.axisRow.hidden = what !== "hinge" && what !== "slider";
    this.valueRow.hidden = !motor && !spring;
    this.valueWord.textContent = motor ? "speed [rad/s or m/s]" : "stiffness [N/m]";
    this.placeRow.hidden = motor;
    this.placeWord.textContent = spring
      ? "place of its first end in the world [m]; the centre of the first if left out"
      : "place in the world [m]; the centre of the second if left out";
  }

  /** What is asked for, or what is missing. */
  private message(): Attach | string {
    const what = this.what.value as What;
    const [motor, spring] = [what === "motor", what === "spring"];
    if (this.a.value === "") return motor ? "Attach: there is no joint with a free coordinate." : "Attach: choose the first body.";
    const value = motor || spring ? numberIn(this.value) : 0;
    if (value === null) return `Attach: the ${motor ? "speed" : "stiffness"} is no number. Write one.`;
    if (motor) return { kind: "attach", what, a: this.a.value, value };
    if (this.b.value === "") return "Attach: there is no second body that moves.";
    const at = this.at.map(numberIn);
    const left = this.at.filter((input) => input.value === "" && !input.validity.badInput).length;
    if (left < 3 && at.includes(null)) return "Attach: a part of the place is no number. Write all of x, y and z, or none.";
    const place = left === 3 ? null : (at as [number, number, number]);
    return { kind: "attach", what, a: this.a.value, b: this.b.value, at: place, axis: AXES[this.axis.value], value };
  }
}

/** What a motor can drive of a joint: the joint itself, or one of its coordinates where it has several. */
function driven({ name, free }: Scene["joints"][number]): string[] {
  return free.length === 1 ? [name] : free.map((coordinate) => `${name}.${coordinate}`);
}

function numberIn(input: HTMLInputElement): number | null {
  return input.value.trim() === "" || input.validity.badInput ? null : Number(input.value);
}

function choice(id: string, label: string, options: string[]): HTMLSelectElement {
  return make("select", { id, "aria-label": label }, ...options.map((value) => make("option", { value }, value)));
}

/** Other options; what was chosen stays so if it is still there. */
function put(select: HTMLSelectElement, options: string[]): void {
  const before = select.value;
  select.replaceChildren(...options.map((value) => make("option", { value }, value)));
  if (options.includes(before)) select.value = before;
}

function row(word: string, control: HTMLElement): HTMLElement {
  return make("label", { class: "row spread" }, word, control);
}
