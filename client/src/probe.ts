// window.gelenk: what tests and curious people may read of the page. Nothing in it steers.
import { Vector3 } from "three";
import { fetched } from "./blobs";
import type { Frame } from "./frame";
import { ROW } from "./frame";
import type { Ghosts } from "./ghosts";
import type { Instruments } from "./instruments";
import type { Scene, Status } from "./messages";
import type { Link } from "./socket";
import type { Stage } from "./stage";
import type { RunTrails } from "./run_trails";
import type { Traces } from "./traces";

export interface Seen {
  scene: Scene | null;
  frame: Frame | null;
  status: Status | null;
  frames: number;
  client: number;
}

/** What else can be looked at. */
export interface More {
  ghosts: Ghosts;
  trails: RunTrails;
  traces: Traces;
}

export function offerProbe(seen: Seen, stage: Stage, link: Link, instruments: Instruments, more: More): void {
  const probe = {
    get frames() { return seen.frames; },
    get sequence() { return seen.frame?.sequence ?? -1; },
    get time() { return seen.frame?.time ?? NaN; },
    get bodies() { return seen.scene?.nodes.length ?? 0; },
    get status() { return seen.status; },
    get client() { return seen.client; },
    get link() { return link.state; },
    get connections() { return link.connections; },
    get pictures() { return stage.pictures; },
    get quality() { return stage.quality.level; },
    get drawCalls() { return stage.drawCalls; },
    /** Position and quaternion w x y z of a body, as the last frame has them. */
    pose(name: string): number[] | null {
      const k = seen.scene?.nodes.findIndex((node) => node.name === name) ?? -1;
      return k < 0 || !seen.frame ? null : [...seen.frame.poses.subarray(ROW * k, ROW * (k + 1))];
    },
    get ghosts() { return more.ghosts.count; },
    get runTrailPoints() { return more.trails.points; },
    ghostPose(ghost: number, name: string) { return more.ghosts.pose(ghost, name); },
    get held() { return instruments.hand.dragging; },
    get inputs() { return instruments.inputsPanel.values; },
    get heard() { return instruments.senses.heard; },
    get traces() { return more.traces.segments; },
    /** Name of the declared camera of a picture, and its angle of view [degrees]. */
    rig(viewport = 0) { return stage.viewports.shown[viewport]?.rigging?.rig.name ?? null; },
    fov(viewport = 0) { return stage.viewports.shown[viewport]?.camera.fov ?? NaN; },
    get tones() { return instruments.senses.playing; },
    /** How many samples a curve has. */
    samples(name: string): number { return instruments.plots.count(name); },
    csv(): string { return instruments.plots.csv(); },
    /** Where a point of the world is on the page [pixels]. */
    onPage(x: number, y: number, z: number): [number, number] {
      const seenAt = new Vector3(x, y, z).project(stage.camera);
      const box = stage.renderer.domElement.getBoundingClientRect();
      return [box.left + 0.5 * (seenAt.x + 1) * box.width, box.top + 0.5 * (1 - seenAt.y) * box.height];
    },
    get scene() { return seen.frame?.scene ?? -1; },
    /** By what the bodies are coloured in the picture. */
    get colouring() { return stage.coloured; },
    get stereo() { return stage.viewports.stereo; },
    /** What touches and is drawn as surfaces in a picture of its own. */
    get proxies() { return stage.viewports.shown.some((eye) => eye.shows === "proxies") ? (stage.model?.proxies ?? 0) : 0; },
    get looked() { return stage.looked; },
    /** Where the camera of a picture is in the world [m]. */
    eye(viewport = 0): number[] | null { return stage.viewports.shown[viewport]?.camera.position.toArray() ?? null; },
    /** How it looks: from where it stands, along with a body, or fixed to it. */
    aim(viewport = 0): string | null { return stage.viewports.shown[viewport]?.aim ?? null; },
    get viewports() { return stage.viewports.count; },
    /** How many signs are drawn: contacts, forces, joints, frames, centres of mass, wires and so on. */
    get signs(): Record<string, number> {
      const { signs, model, names, drawings } = stage;
      return {
        ...signs?.counts,
        wires: model?.wires ?? 0,
        names: names.count,
        corners: drawings?.corners ?? 0,
        springs: drawings?.springCount ?? 0,
      };
    },
    /** The light, and what stands around. */
    get light() { return stage.surroundings.told?.mode ?? "workbench"; },
    get lamps() { return stage.surroundings.lamps?.lit ?? 0; },
    get scenery() {
      const { ready, shown, triangles, copies } = stage.scenery;
      return { ready, shown, triangles, copies, seen: stage.scenery.seen(stage.camera), ...fetched };
    },
    get trails() { return stage.trails.counts; },
    /** Where a body is in a picture, from -1 to 1 to the right and up. */
    onScreen(name: string, viewport = 0): number[] | null {
      const k = seen.scene?.nodes.findIndex((node) => node.name === name) ?? -1;
      const eye = stage.viewports.shown[viewport];
      if (k < 0 || !seen.frame || !eye) return null;
      const [x, y, z] = seen.frame.poses.subarray(ROW * k, ROW * k + 3);
      return new Vector3(x, y, z).project(eye.camera).toArray();
    },
    /** Name of the body that is seen at a point of the page. */
    bodyAt(x: number, y: number): string | null {
      const found = stage.pick(x, y);
      return found ? (seen.scene?.nodes[found.item.node].name ?? null) : null;
    },
    /** Break the line, to see it come back. */
    drop() { link.drop(); },
  };
  Object.defineProperty(window, "gelenk", { value: Object.freeze(probe) });
}
