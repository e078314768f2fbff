// An eye: a camera that stands in the world, goes along with a body, or is fixed to it.
//
// The controls move a camera of their own, in the frame that it stands in; where that frame is now gives the camera that
// is drawn with. So all ways to look are one, and a body that is followed keeps its place in the picture.
import { Matrix4, PerspectiveCamera, Quaternion, Raycaster, Vector2, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { ROW } from "./frame";
import type { Scene } from "./messages";
import type { Rigging, View } from "./rigs";

export type Aim = "orbit" | "follow" | "body" | "rig";
/** What is seen in a picture: what the layers say, what is drawn alone, or what touches alone with the axes of joints. */
export type Shows = "layers" | "visual" | "proxies";
export type Side = "home" | "top" | "front" | "side";

/** Whence one looks; the scene is first seen from the front, right and above. */
const SIDES: Record<Side, Vector3> = {
  home: new Vector3(0.62, -0.92, 0.55).normalize(),
  top: new Vector3(0, -1e-4, 1),
  front: new Vector3(0, -1, 0),
  side: new Vector3(1, 0, 0),
};
const OPEN = 40; // angle of view [degrees]

export class Eye {
  readonly camera = new PerspectiveCamera(OPEN, 1, 0.01, 2000);
  readonly controls: OrbitControls;
  aim: Aim = "orbit";
  shows: Shows = "layers";
  rigging: Rigging | null = null; // a declared camera that it looks through
  node = 0; // that it follows
  middle: [number, number] = [0, 0]; // of the picture, where panels leave it free, from -1 to 1 to the right and up
  private readonly local = new PerspectiveCamera(OPEN, 1, 0.01, 2000);
  private readonly stand = new Matrix4(); // of the frame that it stands in

  constructor(canvas: HTMLElement, changed: () => void) {
    this.local.up.set(0, 0, 1);
    this.local.position.copy(SIDES.home).multiplyScalar(8);
    this.camera.up.set(0, 0, 1);
    this.camera.matrixAutoUpdate = false;
    this.controls = new OrbitControls(this.local, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => {
      this.place();
      changed();
    });
    this.place();
  }

  /** Go along with a body, or stand in the world again; one looks from the same side and as far away as before. */
  follow(aim: Aim, node: number, scene: Scene | null, poses: Float32Array | null): void {
    this.unrig();
    const from = this.local.position.clone().sub(this.controls.target);
    const target = this.controls.target.clone().applyMatrix4(this.stand);
    this.aim = aim;
    this.node = node;
    if (poses) this.goAlong(poses);
    if (aim === "orbit") this.controls.target.copy(target);
    else this.controls.target.set(...(scene?.nodes[node]?.com ?? [0, 0, 0]));
    this.local.position.copy(this.controls.target).add(from);
    this.controls.update();
    this.place();
  }

  /** Look through a declared camera from now on. */
  through(rigging: Rigging): void {
    this.aim = "rig";
    this.rigging = rigging;
    this.node = 0;
    this.controls.enabled = false;
  }

  /** Where the declared camera is now. */
  put(view: View): void {
    this.stand.compose(view.at, view.turn, new Vector3(1, 1, 1));
    this.local.position.set(0, 0, 0);
    this.local.quaternion.identity();
    this.local.fov = view.fov;
    this.local.near = view.near;
    this.local.far = Math.max(this.local.far, 600);
    this.place();
  }

  /** Through no declared camera any more. */
  private unrig(): void {
    if (this.aim !== "rig") return;
    this.rigging = null;
    this.controls.enabled = true;
    this.local.fov = OPEN;
    const away = this.local.position.clone().applyMatrix4(this.stand);
    const ahead = new Vector3(0, 0, -10).applyMatrix4(this.stand);
    this.stand.identity();
    this.local.position.copy(away);
    this.controls.target.copy(ahead);
    this.local.near = 0.05;
  }

  /** Where the frame is now that it stands in. */
  goAlong(poses: Float32Array): void {
    if (this.aim === "rig") return;
    this.stand.identity();
    const k = ROW * this.node;
    if (this.aim === "orbit" || k + ROW > poses.length) return this.place();
    if (this.aim === "body")
      this.stand.makeRotationFromQuaternion(new Quaternion(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]));
    this.stand.setPosition(poses[k], poses[k + 1], poses[k + 2]);
    this.place();
  }

  /** Look from a side, at the same point and from as far away; home looks at the given point from the given distance. */
  look(side: Side, at?: Vector3, away?: number): void {
    this.unrig();
    if (this.aim === "rig") this.aim = "orbit";
    const distance = away ?? this.local.position.distanceTo(this.controls.target);
    if (at && this.aim === "orbit") this.controls.target.copy(at);
    this.local.position.copy(SIDES[side]).multiplyScalar(distance).add(this.controls.target);
    this.local.near = distance / 500;
    this.local.far = 60 * distance;
    this.controls.update();
    this.place();
  }

  /** Look from a direction, with a point in the middle and from a distance. */
  lookFrom(toward: Vector3, at: Vector3, away: number): void {
    this.aim = "orbit";
    this.stand.identity();
    this.set(toward.clone().setLength(away).add(at), at);
  }

  /** Stand at a point and look at another, in the world. */
  lookAt(from: Vector3, at: Vector3): void {
    this.aim = "orbit";
    this.stand.identity();
    this.set(from, at);
  }

  /** Stand in the world from now on, where it is and looking at the same point. */
  stay(): void {
    const [from, at] = [this.local.position, this.controls.target].map((point) => point.clone().applyMatrix4(this.stand));
    this.node = 0;
    this.lookAt(from, at);
  }

  /** Stand at a point beside what it goes along with. */
  lookBeside(offset: Vector3): void {
    this.set(offset.clone().add(this.controls.target), this.controls.target.clone());
  }

  /** See at least so far [m]. */
  seeTo(far: number): void {
    if (this.local.far >= far) return;
    this.local.far = far;
    this.place();
  }

  /** How far away is what it looks at [m]. */
  get distance(): number {
    return this.aim === "rig" ? 12 : this.local.position.distanceTo(this.controls.target);
  }

  private set(from: Vector3, at: Vector3): void {
    this.local.fov = OPEN;
    this.rigging = null;
    this.controls.enabled = true;
    this.controls.target.copy(at);
    this.local.position.copy(from);
    if (Math.hypot(from.x - at.x, from.y - at.y) < 1e-4 * from.distanceTo(at)) this.local.position.y -= 1e-4 * from.distanceTo(at);
    this.local.near = Math.min(this.local.near, this.distance / 100);
    this.local.far = Math.max(this.local.far, 60 * this.distance);
    this.controls.update();
    this.place();
  }

  /** Turn by angles about the upright and sideways [rad], and come nearer by a factor. */
  turn(around: number, up: number, nearer = 1): void {
    if (this.aim === "rig") return;
    const way = this.local.position.clone().sub(this.controls.target);
    const length = way.length() / nearer;
    const height = Math.min(Math.max(Math.acos(way.z / way.length()) - up, 1e-4), Math.PI - 1e-4);
    const angle = Math.atan2(way.y, way.x) + around;
    way.set(Math.sin(height) * Math.cos(angle), Math.sin(height) * Math.sin(angle), Math.cos(height));
    this.local.position.copy(way).multiplyScalar(length).add(this.controls.target);
    this.controls.update();
    this.place();
  }

  setAspect(aspect: number): void {
    if (this.local.aspect === aspect) return;
    this.local.aspect = aspect;
    this.place();
  }

  /** A ray through a point of its picture, from -1 to 1 to the right and up. */
  ray(x: number, y: number): Raycaster {
    const made = new Raycaster();
    made.setFromCamera(new Vector2(x, y), this.camera);
    return made;
  }

  dispose(): void {
    this.controls.dispose();
  }

  private place(): void {
    const { local, camera } = this;
    local.updateMatrix();
    camera.matrix.multiplyMatrices(this.stand, local.matrix);
    camera.matrix.decompose(camera.position, camera.quaternion, camera.scale);
    camera.updateMatrixWorld(true);
    const [x, y] = this.middle;
    camera.setViewOffset(2, 2, -x, y, 2, 2);
    Object.assign(camera, { fov: local.fov, aspect: local.aspect, near: local.near, far: local.far });
    camera.updateProjectionMatrix();
  }
}
