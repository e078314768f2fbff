// The explorer: bodies with their frames and joints, joints with their drives, forces, materials and the whole. What is
// unfolded shows its values, a press plots one; its properties, which can be edited; and a button that takes it out.
import { AttachForm } from "./attach_form";
import { make } from "./dom";
import type { Anchor, FromPage, Owner, Properties, Scene, Signal, Values } from "./messages";
import { PropertyTable } from "./property_table";

const MOST = 200; // entries of a branch that are shown at once
const MOST_WATCHED = 32;

interface Entry {
  name: string;
  what: string;
  node: number; // -1 if it is no body
  signals: Signal[];
  kind: Owner["what"] | null;
  parts: Part[];
}

/** What hangs on an entry: a frame with its place, or another entry that can be gone to. */
interface Part {
  text: string;
  to: string | null;
  depth?: number; // of what hangs on something that hangs there
}

export class TreePanel {
  onPlot: (signal: string, unit: string) => void = () => {};
  onSelect: (node: number) => void = () => {};
  plotted: (signal: string) => boolean = () => false;

  private readonly filter = make("input", { type: "search", id: "tree-filter", placeholder: "find", "aria-label": "find in the tree" });
  private readonly branches = make("div", { id: "tree" });
  private readonly cells = new Map<string, HTMLButtonElement>();
  private readonly open: string[] = []; // names of what is unfolded
  private readonly attach: AttachForm;
  private readonly tables = new Map<string, PropertyTable>();
  private readonly removers: HTMLButtonElement[] = [];
  private owners: Owner[] = [];
  private replays = false;
  private entries: [string, Entry[]][] = [];
  driving = true;

  constructor(
    place: HTMLElement,
    private readonly send: (message: FromPage) => void,
  ) {
    this.attach = new AttachForm(send);
    const panel = make("details", { id: "explorer", class: "panel" },
      make("summary", {}, "Explorer"), this.filter, this.branches, this.attach.element);
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
    const link = (name: string, word: string): Part => ({ text: `${word} ${name}`, to: name });
    const thing = (kind: Owner["what"], parts: Part[]) => (one: { name: string; what: string }): Entry => ({
      name: one.name, what: one.what, node: -1, signals: of.get(one.name) ?? [], kind, parts,
    });
    const frames = scene.nodes.map((_, k) => scene.anchors.filter((a) => a.node === k));
    const partsOf = (k: number): Part[] => [
      ...hanging(frames[k], "", 0),
      ...scene.joints.filter((j) => j.a === k || j.b === k).map((j) => link(j.name, "joint")),
    ];
    const nodes = scene.nodes.map((node, k): Entry => {
      const own = node.what === "particle" ? scene.particle_signals : scene.body_signals;
      const signals = own.map((s) => ({ name: `${node.name}.${s.name}`, unit: s.unit }));
      const what = node.static ? "static" : node.what;
      return { name: node.name, what, node: k, signals, kind: "body", parts: [] };
    });
    const jointEntries = scene.joints.map((joint) => {
      const on = scene.drives.filter((drive) => drive.on.includes(joint.name)).map((drive) => link(drive.name, "drive"));
      const ends = [joint.a, joint.b].map((k) => (k === 0 ? { text: "world", to: null } : link(scene.nodes[k].name, "body")));
      return thing("joint", [...ends, ...on])(joint);
    });
    this.partsOf = partsOf;
    this.replays = scene.duration !== null;
    this.attach.setScene(scene);
    this.entries = [
      ["Whole", [{ name: "", what: "", node: -1, signals: whole, kind: null, parts: [] }]],
      ["World", frames[0].length > 0 ? [{ ...nodes[0], what: "", signals: [], kind: null, parts: partsOf(0) }] : []],
      ["Bodies", nodes.slice(1)],
      ["Joints", jointEntries],
      ["Drives", scene.drives.map((drive) => thing("joint", drive.on.map((name) => link(name, "joint")))(drive))],
      ["Forces", scene.forces.map((force) => thing("force", force.on.map((name) => link(name, "body")))(force))],
      ["Materials", scene.materials.map((name) => thing("material", [])({ name, what: "" }))],
    ];
    this.draw();
  }

  private partsOf: (node: number) => Part[] = () => [];

  private draw(): void {
    this.cells.clear();
    this.tables.clear();
    this.removers.length = 0;
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
      if (shown.open && shown.children.length === 1) shown.append(...this.inside(entry));
      this.unfold(entry.name, shown.open);
    });
    if (this.open.includes(entry.name)) shown.open = true;
    return shown;
  }

  /** What an entry shows when it is unfolded. */
  private inside(entry: Entry): HTMLElement[] {
    const made: HTMLElement[] = [];
    const parts = entry.node > 0 ? this.partsOf(entry.node) : entry.parts;
    if (parts.length > 0) made.push(make("ul", { class: "parts" }, ...parts.map((part) => make("li", { style: `margin-left:${part.depth ?? 0}em` }, this.part(part)))));
    if (entry.signals.length > 0) made.push(this.rows(entry));
    if (entry.kind === null || this.replays) return made;
    const table = new PropertyTable(entry.kind, entry.name, this.send);
    this.tables.set(`${entry.kind}/${entry.name}`, table);
    const owner = this.owners.find((o) => o.what === entry.kind && o.name === entry.name);
    if (owner) table.show(owner, this.driving);
    made.push(make("h4", {}, "Properties"), table.element);
    const { kind, name } = entry;
    if (kind === "joint" || kind === "force") {
      const remove = make("button", { type: "button", class: "remove", "data-remove": name }, `Remove ${name}`);
      remove.disabled = !this.driving;
      remove.addEventListener("click", () => this.send({ kind: "remove", what: kind, name }));
      this.removers.push(remove);
      made.push(remove);
    }
    return made;
  }

  private part({ text, to }: Part): HTMLElement {
    if (to === null) return make("span", {}, text);
    const button = make("button", { type: "button", class: "link" }, text);
    button.addEventListener("click", () => this.goTo(to));
    return button;
  }

  /** Unfold an entry and bring it into sight. */
  private goTo(name: string): void {
    const branch = this.entries.find(([title, all]) => title !== "Materials" && all.some((entry) => entry.name === name));
    if (!branch) return;
    const there = this.branches.querySelector<HTMLDetailsElement>(`details[data-key="${CSS.escape(branch[0])}"]`);
    if (!there) return;
    this.unfold(name, true);
    there.open = true;
    requestAnimationFrame(() => {
      const entry = [...there.querySelectorAll<HTMLDetailsElement>("details.entry")].find((d) => d.dataset.key === `/${name}`);
      if (!entry) return;
      entry.open = true;
      entry.scrollIntoView({ block: "nearest" });
    });
  }

  /** Properties as they are now. */
  edit(message: Properties): void {
    this.owners = message.owners;
    for (const owner of message.owners) this.tables.get(`${owner.what}/${owner.name}`)?.show(owner, this.driving);
  }

  /** Only who steers may change anything. */
  enable(): void {
    this.attach.enable(this.driving);
    for (const button of this.removers) button.disabled = !this.driving;
    this.edit({ kind: "properties", owners: this.owners });
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

/** Frames that hang on one, or on the body itself, each followed by those that hang on it; places are in what it hangs on. */
function hanging(frames: Anchor[], parent: string, depth: number): Part[] {
  return frames.filter((a) => a.parent === parent).flatMap((a) => {
    const at = (a.at_parent ?? a.at).map((x) => Number(x.toPrecision(4))).join(", ");
    return [{ text: `frame ${a.name} at ${at} m`, to: null, depth }, ...hanging(frames, a.name, depth + 1)];
  });
}

function* prefixes(name: string): Generator<string> {
  for (let k = name.length; k > 0; k = name.lastIndexOf(".", k - 1)) yield name.slice(0, k);
}
