// window.gelenk: what tests and curious people may read of the page. Nothing in it steers.
import type { Frame } from "./frame";
import { ROW } from "./frame";
import type { Ghosts } from "./ghosts";
import type { Instruments } from "./instruments";
import type { Scene, Status } from "./messages";
import type { Link } from "./socket";
import { Vector3 } from "three";
import type { Stage } from "./stage";
import type { RunTrails } from "./run_trails";

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
    get drawCalls() { return stage.renderer.info.render.calls; },
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
    /** Break the line, to see it come back. */
    drop() { link.drop(); },
  };
  Object.defineProperty(window, "gelenk", { value: Object.freeze(probe) });
}
