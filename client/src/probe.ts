// window.gelenk: what tests and curious people may read of the page. Nothing in it steers.
import type { Frame } from "./frame";
import { ROW } from "./frame";
import type { Ghosts } from "./ghosts";
import type { Scene, Status } from "./messages";
import type { Link } from "./socket";
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

export function offerProbe(seen: Seen, stage: Stage, link: Link, more: More): void {
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
    /** Break the line, to see it come back. */
    drop() { link.drop(); },
  };
  Object.defineProperty(window, "gelenk", { value: Object.freeze(probe) });
}
