// The explorer: bodies, joints, drives, forces and the whole, with the values of what is unfolded; a press plots one.
import { make } from "./dom";
import type { FromPage, Scene, Signal, Values } from "./messages";

const MOST = 200; // entries of a branch that are shown at once
const MOST_WATCHED = 32;

interface Entry {
  name: string;
  what: string;
  node: number; // -1 if it is no body
  signals: Signal[];
}

export class TreePanel {
  onPlot: (signal: string, unit: string) => void = () => {};
  onSelect: (node: number) => void = () => {};
  plotted: (signal: string) => boolean = () => false;

  private readonly filter = make("input", { type: "search", id: "tree-filter", placeholder: "find", "aria-label": "find in the tree" });
  private readonly branches = make("div", { id: "tree" });
  private readonly cells = new Map<string, HTMLButtonElement>();
  private readonly open: string[] = []; // names of what is unfolded
  private entries: [string, Entry[]][] = [];

  constructor(
    place: HTMLElement,
    private readonly send: (message: FromPage) => void,
  ) {
    const panel = make("details", { id: "explorer", class: "panel" }, make("summary", {}, "Explorer"), this.filter, this.branches);
    place.append(panel);
    this.filter.addEventListener("input", () => this.draw());
  }

  setScene(scene: Scene): void {
    const of = new Map<string, Signal[]>();
    const joints = new Set(scene.joints.map((joint) => joint.name));
    const things = new Set([...joints, ...scene.drives.map((d) => d.name), ...scene.forces.map((f) => f.name)]);
    const whole: Signal[] = [];
    for (const signal of scene.signals) {
      const owner = [...prefixes(signal.name)].find((name) => things.has(name));
      if (owner === undefined) whole.push(signal);
      else of.set(owner, [...(of.get(owner) ?? []), signal]);
    }
    const thing = (one: { name: string; what: string }): Entry => ({
      name: one.name, what: one.what, node: -1, signals: of.get(one.name) ?? [],
    });
    const nodes = scene.nodes.map((node, k): Entry => {
      const own = node.what === "particle" ? scene.particle_signals : scene.body_signals;
      const signals = own.map((s) => ({ name: `${node.name}.${s.name}`, unit: s.unit }));
      return { name: node.name, what: node.static ? "static" : node.what, node: k, signals };
    });
    this.entries = [
      ["Whole", [{ name: "", what: "", node: -1, signals: whole }]],
      ["Bodies", nodes.slice(1)],
      ["Joints", scene.joints.map(thing)],
      ["Drives", scene.drives.map(thing)],
      ["Forces", scene.forces.map(thing)],
    ];
    this.draw();
  }

  private draw(): void {
    this.cells.clear();
    const wanted = this.filter.value.trim().toLowerCase();
    const before = new Set([...this.branches.querySelectorAll("details[open]")].map((d) => (d as HTMLElement).dataset.key));
    this.branches.replaceChildren();
    for (const [title, all] of this.entries) {
      if (all.length === 0) continue;
      const found = all.filter((entry) => !wanted || entry.name.toLowerCase().includes(wanted));
      const count = title === "Whole" ? "" : ` (${found.length})`;
      const branch = make("details", { "data-key": title }, make("summary", {}, title + count));
      let filled = false;
      const fill = (): void => {
        if (title === "Whole") this.unfold("", branch.open);
        if (filled || !branch.open) return;
        filled = true;
        for (const entry of found.slice(0, MOST)) branch.append(title === "Whole" ? this.rows(entry) : this.entry(entry));
        if (found.length > MOST) branch.append(make("p", { class: "hint" }, `${found.length - MOST} more: find them by name`));
      };
      branch.addEventListener("toggle", fill);
      if (before.has(title) || (wanted !== "" && found.length > 0 && title !== "Whole")) branch.open = true;
      this.branches.append(branch);
    }
    this.watch();
  }

  private entry(entry: Entry): HTMLElement {
    const summary = make("summary", {}, entry.name, make("span", { class: "what" }, entry.what));
    const shown = make("details", { "data-key": `/${entry.name}`, class: "entry" }, summary);
    summary.addEventListener("click", () => this.onSelect(entry.node));
    shown.addEventListener("toggle", () => {
      if (shown.open && shown.children.length === 1) shown.append(this.rows(entry));
      this.unfold(entry.name, shown.open);
    });
    if (this.open.includes(entry.name)) shown.open = true;
    return shown;
  }

  /** Rows of values; the parts of a vector share one. */
  private rows(entry: Entry): HTMLElement {
    const body = make("tbody");
    let last = "";
    let cells: HTMLElement | null = null;
    for (const { name, unit } of entry.signals) {
      const short = entry.name ? name.slice(entry.name.length + 1) : name;
      const part = /\.(x|y|z|w|size)$/.exec(short)?.[1] ?? "";
      const what = part ? short.slice(0, -part.length - 1) : short;
      if (!cells || what !== last || !part) {
        cells = make("td");
        const head = make("th", { scope: "row" }, what.replaceAll("_", " "), make("small", {}, unit ? ` ${unit}` : ""));
        body.append(make("tr", {}, head, cells));
        last = what;
      }
      const label = `plot ${name}`;
      const cell = make("button", { type: "button", class: "value", title: label, "aria-label": label, "data-signal": name });
      cell.dataset.part = part === "size" ? "‖ ‖" : part;
      cell.setAttribute("aria-pressed", String(this.plotted(name)));
      cell.addEventListener("click", () => {
        this.onPlot(name, unit);
        cell.setAttribute("aria-pressed", String(this.plotted(name)));
      });
      this.cells.set(name, cell);
      cells.append(cell);
    }
    if (entry.signals.length === 0) return make("p", { class: "hint" }, "nothing to read");
    return make("table", {}, body);
  }

  private unfold(name: string, open: boolean): void {
    const k = this.open.indexOf(name);
    if (open && k < 0) this.open.push(name);
    if (!open && k >= 0) this.open.splice(k, 1);
    this.watch();
  }

  /** Say whose values are to be sent; those of the whole are called "". */
  watch(): void {
    const names = this.open.slice(-MOST_WATCHED);
    this.send({ kind: "watch", names });
  }

  show(message: Values): void {
    for (const [name, value] of Object.entries(message.values)) {
      const cell = this.cells.get(name);
      if (cell && cell.textContent !== value) cell.textContent = value;
    }
  }

  /** Marks of what is plotted, after curves were taken out elsewhere. */
  mark(): void {
    for (const [name, cell] of this.cells) cell.setAttribute("aria-pressed", String(this.plotted(name)));
  }
}

function* prefixes(name: string): Generator<string> {
  for (let k = name.length; k > 0; k = name.lastIndexOf(".", k - 1)) yield name.slice(0, k);
}
