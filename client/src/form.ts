// A dialog of declared fields: what is chosen goes to the simulation at once, which keeps it, saves it and loads it.
import { make } from "./dom";
import type { Form, FormField, FromPage } from "./messages";

export class FormDialog {
  private readonly box = make("dialog", { id: "form" });
  private readonly body = make("div");
  private readonly title = make("h2");
  private readonly said = make("p", { id: "form-said", role: "status" });
  private readonly name = make("input", { id: "form-name", "aria-label": "name to save under", maxlength: 40, placeholder: "name" });
  private readonly saved = make("select", { id: "form-saved", "aria-label": "saved ones" });
  private readonly files = make("div", { class: "row" });
  private readonly open = make("button", { id: "form-open", type: "button", hidden: true, "aria-label": "set-up" });
  private readonly lines = new Map<string, (field: FormField) => void>();
  private shape = "";

  constructor(
    place: HTMLElement,
    private readonly send: (message: FromPage) => void,
  ) {
    const button = (id: string, text: string, does: () => void, main = false): HTMLElement => {
      const made = make("button", { id, type: "button", class: main ? "main" : "" }, text);
      made.addEventListener("click", does);
      return made;
    };
    this.files.append(
      this.name, button("form-save", "Save", () => this.send({ kind: "form_act", act: "save", name: this.name.value.trim() })),
      this.saved, button("form-load", "Load", () => this.send({ kind: "form_act", act: "load", name: this.saved.value })),
    );
    const end = make("div", { class: "row" },
      button("form-apply", "Start with this", () => {
        this.send({ kind: "form_act", act: "apply" });
        this.box.close();
      }, true),
      button("form-close", "Close", () => this.box.close()),
    );
    this.box.append(this.title, this.body, this.files, end, this.said);
    this.open.addEventListener("click", () => this.toggle());
    place.append(this.open);
    document.body.append(this.box);
    for (const kind of ["keydown", "keyup"]) this.box.addEventListener(kind, (event) => event.stopPropagation()); // they steer nothing
    window.addEventListener("keydown", (event) => {
      const target = event.target as HTMLElement;
      if (event.key !== "o" || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
      if (this.open.hidden) return;
      event.preventDefault(); // the letter belongs into no field
      this.toggle();
    });
  }

  toggle(): void {
    if (this.box.open) this.box.close();
    else this.box.showModal();
  }

  show(told: Form): void {
    this.open.hidden = false;
    this.open.textContent = told.title;
    this.open.removeAttribute("aria-label");
    this.open.title = `${told.title.toLowerCase()} (o)`;
    this.title.textContent = told.title;
    this.files.hidden = !told.files;
    const shape = JSON.stringify(told.fields.map(({ name, what, choices, low, high }) => [name, what, choices, low, high]));
    if (shape !== this.shape) {
      this.shape = shape;
      this.lines.clear();
      this.body.replaceChildren(...told.fields.map((field) => this.line(field)));
    }
    for (const field of told.fields) this.lines.get(field.name)?.(field);
    const chosen = this.saved.value;
    this.saved.replaceChildren(...told.names.map((name) => make("option", { value: name }, name)));
    if (told.names.includes(chosen)) this.saved.value = chosen;
    this.saved.disabled = told.names.length === 0;
    this.said.textContent = told.said;
  }

  private line(field: FormField): HTMLElement {
    const id = `form-field-${field.name}`;
    const label = make("label", { for: id }, field.label);
    if (field.what === "number") {
      const slider = make("input", { id, type: "range", min: field.low, max: field.high, step: "any" });
      const read = make("output");
      const tell = (value: number): void => {
        read.value = `${Number(value.toPrecision(4))} ${field.unit}`;
      };
      const rounded = (): number => {
        const n = Math.round((Number(slider.value) - field.low) / field.step);
        return Math.min(field.high, Number((field.low + n * field.step).toPrecision(10)));
      };
      slider.addEventListener("input", () => tell(rounded()));
      slider.addEventListener("change", () => this.send({ kind: "set_field", name: field.name, value: rounded() }));
      this.lines.set(field.name, (now) => {
        if (document.activeElement !== slider || !slider.matches(":active")) slider.value = String(now.value);
        tell(now.value);
      });
      return make("div", { class: "line" }, label, slider, read);
    }
    const control: HTMLSelectElement | HTMLInputElement =
      field.what === "choice"
        ? make("select", { id }, ...field.choices.map((word) => make("option", { value: word }, word)))
        : make("input", { id, maxlength: 60 });
    control.addEventListener("change", () => this.send({ kind: "set_field", name: field.name, text: control.value }));
    this.lines.set(field.name, (now) => (control.value = now.text));
    return make("div", { class: "line" }, label, control);
  }
}
