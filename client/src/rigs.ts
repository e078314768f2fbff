// Declared cameras: in a body, behind one, or beside its way. Reckoned anew for every frame, from where the body is then.
import { Matrix4, Quaternion, Vector3 } from "three";
import { ROW } from "./frame";
import type { Rig, Scene } from "./messages";

const JUMP = 0.5; // a longer time between two frames, or one that goes back, is a new start [s]
const CLOSER = 0.85; // another place must be so much nearer than the one at work

export interface View {
  at: Vector3;
  turn: Quaternion; // looks along its -z, with y up
  fov: number; // [degrees]
  near: number; // what is nearer is not seen [m]
}

export class Rigging {
  private last = NaN; // time of the last frame
  private ahead = new Vector3();
  private over = new Vector3();
  private place = -1;

  constructor(readonly rig: Rig) {}

  /** Where it looks from and to, at a frame. */
  at(scene: Scene, poses: Float32Array, time: number): View | null {
    const node = scene.nodes.findIndex((one, k) => k > 0 && one.name === this.rig.body);
    if (node < 0) return null;
    const k = ROW * node;
    const p = new Vector3(poses[k], poses[k + 1], poses[k + 2]);
    const q = new Quaternion(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
    const { rig } = this;
    const passed = time - this.last;
    const fresh = !(passed >= 0 && passed < JUMP);
    this.last = time;
    if (rig.what === "trackside") return this.beside(p);
    const ahead = new Vector3(...rig.toward).applyQuaternion(q).normalize();
    const over = new Vector3(...rig.up).applyQuaternion(q).normalize();
    if (rig.what === "follow" && rig.level) {
      const flat = Math.hypot(ahead.x, ahead.y);
      if (flat > 0.05) ahead.set(ahead.x, ahead.y, 0.6 * ahead.z).normalize(); // less steep than the way itself
      over.set(0, 0, 1);
    }
    const share = fresh || rig.damping <= 0 ? 1 : 1 - Math.exp(-passed / rig.damping);
    this.ahead.lerp(ahead, share).normalize();
    this.over.lerp(over, share).normalize();
    if (rig.what === "cockpit") {
      const eye = new Vector3(...rig.at).applyQuaternion(q).add(p);
      return { at: eye, turn: looking(this.ahead, this.over), fov: rig.fov_deg, near: 0.04 };
    }
    const eye = p.clone().addScaledVector(this.ahead, rig.at[0]).addScaledVector(this.over, rig.at[2]);
    const target = p.clone().addScaledVector(this.ahead, 4).addScaledVector(this.over, 0.3 * rig.at[2]);
    return { at: eye, turn: looking(target.sub(eye), this.over), fov: rig.fov_deg, near: 0.1 };
  }

  private beside(p: Vector3): View {
    const { places, width, fov_deg } = this.rig;
    const way = (k: number): number => p.distanceTo(new Vector3(...places[k]));
    let best = 0;
    for (let k = 1; k < places.length; k++) if (way(k) < way(best)) best = k;
    if (this.place < 0 || this.place >= places.length || way(best) < CLOSER * way(this.place)) this.place = best;
    const eye = new Vector3(...places[this.place]);
    const to = p.clone().sub(eye);
    const wide = (2 * Math.atan((0.5 * width) / Math.max(0.1, to.length())) * 180) / Math.PI;
    return { at: eye, turn: looking(to, new Vector3(0, 0, 1)), fov: Math.min(fov_deg, Math.max(2, 0.6 * wide)), near: 0.3 };
  }
}

/** Looks along a direction, with another one as far up as that allows. */
function looking(along: Vector3, up: Vector3): Quaternion {
  return new Quaternion().setFromRotationMatrix(new Matrix4().lookAt(new Vector3(), along, up));
}
