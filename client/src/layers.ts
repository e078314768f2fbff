// What is shown of a scene, and what the simulation is asked to compute for it.
import type { Frame } from "./frame";
import type { Show } from "./messages";

export type LayerName =
  | "visual" | "physical" | "joints" | "frames" | "com" | "contacts" | "springs" | "grid" | "shadows" | "names";
export type Colouring = "material" | "load" | "cluster" | "sleeping" | "speed";

export const LABELS: Record<LayerName, string> = {
  visual: "Bodies",
  physical: "What touches",
  joints: "Joint axes",
  frames: "Body frames",
  com: "Centres of mass",
  contacts: "Contacts and forces",
  springs: "Springs",
  names: "Names",
  grid: "Grid",
  shadows: "Shadows",
};
export const COLOURINGS: Record<Colouring, string> = {
  material: "Material", load: "Load", cluster: "Cluster", sleeping: "Sleeping", speed: "Speed",
};
/** What the scale of a colouring goes up to; the others have none. */
export const SCALES: Partial<Record<Colouring, string>> = { load: "largest force [N]", speed: "largest speed [m/s]" };
const TOLD: Colouring[] = ["load", "cluster", "sleeping", "speed"]; // by their numbers in frames
const COLOURS = 3;

export class Layers {
  readonly all = Object.keys(LABELS) as LayerName[];
  colouring: Colouring = "material";
  private readonly on = new Set<LayerName>(["visual", "springs", "grid", "shadows"]);

  has(name: LayerName): boolean {
    return this.on.has(name);
  }

  set(name: LayerName, on: boolean): void {
    if (on) this.on.add(name);
    else this.on.delete(name);
  }

  /** What the frames are to hold for it. */
  get wanted(): Show {
    const layers: Show["layers"] = [];
    if (this.on.has("contacts")) layers.push("contacts");
    if (this.colouring !== "material") layers.push(this.colouring);
    return { kind: "show", layers };
  }
}

/** Red, green, blue a node as a frame has them; null if it does not. */
export function coloursOf(frame: Frame, colouring: Colouring): Uint8Array | null {
  const number = TOLD.indexOf(colouring);
  const view = new DataView(frame.data);
  const section = frame.sections.find((s) => s.kind === COLOURS && view.getUint32(s.start, true) === number);
  return section && number >= 0 ? new Uint8Array(frame.data, section.start + 4, section.length - 4) : null;
}
