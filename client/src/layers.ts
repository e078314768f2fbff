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
/** What the scale of a colouring tells, and its unit; the others have none. */
export const SCALES: Partial<Record<Colouring, [string, string]>> = { load: ["force", "N"], speed: ["speed", "m/s"] };
const TOLD: Colouring[] = ["load", "cluster", "sleeping", "speed"]; // by their numbers in frames
const COLOURS = 3;
const HEAD = 12; // bytes before the colours: their number, both ends of the scale

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

export interface Colours {
  rgb: Uint8Array; // red, green, blue a node
  ends: [number, number]; // what the lowest and the highest colour stand for; both 0 where there is no scale
}

/** Colours as a frame has them; null if it does not. */
export function coloursOf(frame: Frame, colouring: Colouring): Colours | null {
  const number = TOLD.indexOf(colouring);
  const view = new DataView(frame.data);
  const section = frame.sections.find((s) => s.kind === COLOURS && view.getUint32(s.start, true) === number);
  if (!section || number < 0) return null;
  return {
    rgb: new Uint8Array(frame.data, section.start + HEAD, section.length - HEAD),
    ends: [view.getFloat32(section.start + 4, true), view.getFloat32(section.start + 8, true)],
  };
}
