// The pointer on bodies: press and move drags one, shift and press pushes it, a short press selects it.
import {
  CylinderGeometry,
  Group,
  Mesh,
  MeshBasicMaterial,
  Plane,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { ROW } from "./frame";
import type { FromPage, Scene } from "./messages";
import type { Seen } from "./probe";
import type { Stage } from "./stage";

const EVERY = 33; // between two messages of a drag [ms]
const STILL = 4; // a press that moves less is no drag [pixels]
const UP = new Vector3(0, 1, 0);

interface Hit {
  node: number;
  place: Vector3; // in the world
}

interface Held extends Hit {
  point: [number, number, number]; // in the body frame
  target: Vector3;
  plane: Plane; // in which the pointer moves it
}

export class Hand {
  drags = true; // else the pointer turns the view also where a body is
  strength = 1;
  push = 1; // change of velocity that a push gives [m/s]
  driving = true;
  selected = -1;
  onSelect: (node: number) => void = () => {};
  held: Held | null = null;

  private readonly line = new Group();
  private readonly rod: Mesh;
  private readonly ends: Mesh[];
  private pointer = -1;
  private pressed: { x: number; y: number; hit: Hit | null } | null = null;
  private sentAt = 0;
  private timer = 0;

  constructor(
    private readonly place: HTMLElement,
    private readonly stage: Stage,
    private readonly seen: Seen,
    private readonly send: (message: FromPage) => void,
  ) {
    const paint = new MeshBasicMaterial({ color: "#e8762c", depthTest: false, transparent: true, opacity: 0.9 });
    this.rod = new Mesh(new CylinderGeometry(1, 1, 1, 8), paint);
    this.ends = [0, 1].map(() => new Mesh(new SphereGeometry(1, 16, 12), paint));
    this.line.add(this.rod, ...this.ends);
    this.line.renderOrder = 10;
    this.line.visible = false;
    stage.space.add(this.line);
    place.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    place.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      place.addEventListener(kind, (event) => this.up(event), { capture: true });
    }
    window.addEventListener("blur", () => this.letGo());
  }

  get dragging(): boolean {
    return this.held !== null && this.line.visible;
  }

  /** Push a body along the line of sight at its centre of mass, for those without a pointer. */
  pushCentre(node: number): void {
    const frame = this.seen.frame;
    const scene = this.seen.scene;
    if (!frame || !scene) return;
    const centre = toWorld(frame.poses, node, scene.nodes[node].com);
    this.pushAt({ node, place: centre });
  }

  private pushAt(hit: Hit): void {
    const scene = this.seen.scene as Scene;
    const { name, mass } = scene.nodes[hit.node];
    const way = hit.place.clone().sub(this.stage.camera.position).normalize().multiplyScalar(this.push * mass);
    this.send({ kind: "push", body: name, point: triple(hit.place), impulse: triple(way) });
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || !event.isPrimary || event.target !== this.stage.renderer.domElement) return;
    const hit = this.find(event);
    this.pressed = { x: event.clientX, y: event.clientY, hit };
    const scene = this.seen.scene;
    if (!hit || !scene || scene.nodes[hit.node].static || scene.duration !== null || !this.driving) return;
    if (event.shiftKey) {
      this.pushAt(hit);
      this.pressed = null;
    } else if (!this.drags) return;
    else this.take(hit, event);
    event.stopPropagation(); // the view does not turn
  }

  private take(hit: Hit, event: PointerEvent): void {
    const frame = this.seen.frame;
    if (!frame) return;
    const sight = this.stage.camera.getWorldDirection(new Vector3());
    this.held = {
      ...hit,
      point: triple(toBody(frame.poses, hit.node, hit.place)),
      target: hit.place.clone(),
      plane: new Plane().setFromNormalAndCoplanarPoint(sight, hit.place),
    };
    this.pointer = event.pointerId;
    this.place.setPointerCapture(event.pointerId);
    this.place.style.cursor = "grabbing";
  }

  private move(event: PointerEvent): void {
    if (!this.held || event.pointerId !== this.pointer) return;
    event.stopPropagation();
    const still = this.pressed && Math.hypot(event.clientX - this.pressed.x, event.clientY - this.pressed.y) < STILL;
    if (still && !this.line.visible) return;
    const { index, x, y } = this.stage.viewports.at(event.clientX, event.clientY);
    const { ray } = this.stage.viewports.shown[index].ray(x, y);
    if (!ray.intersectPlane(this.held.plane, this.held.target)) return;
    const wait = this.sentAt + EVERY - performance.now();
    clearTimeout(this.timer);
    if (wait <= 0) this.tell();
    else this.timer = window.setTimeout(() => this.tell(), wait);
    this.draw();
  }

  private tell(): void {
    if (!this.held) return;
    this.sentAt = performance.now();
    const { node, point, target } = this.held;
    const body = (this.seen.scene as Scene).nodes[node].name;
    this.send({ kind: "drag", body, point, target: triple(target), strength: this.strength });
  }

  private up(event: PointerEvent): void {
    const pressed = this.pressed;
    if (event.type === "pointerup" && pressed) {
      const moved = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
      if (moved < STILL) this.select(pressed.hit?.node ?? -1);
      this.pressed = null;
    }
    if (event.pointerId === this.pointer) this.letGo();
  }

  select(node: number): void {
    this.selected = node;
    this.stage.select(node);
    this.onSelect(node);
  }

  letGo(): void {
    if (!this.held) return;
    clearTimeout(this.timer);
    if (this.line.visible) this.send({ kind: "release" });
    this.held = null;
    this.pointer = -1;
    this.line.visible = false;
    this.place.style.cursor = "";
    this.stage.refresh();
  }

  private find(event: PointerEvent): Hit | null {
    const found = this.stage.pick(event.clientX, event.clientY);
    return found ? { node: found.item.node, place: found.point.clone() } : null;
  }

  /** The line from the held point to the pointer; to be drawn anew with every frame. */
  draw(): void {
    const frame = this.seen.frame;
    if (!this.held || !frame) return;
    const from = toWorld(frame.poses, this.held.node, this.held.point);
    const to = this.held.target;
    const thick = 0.0022 * this.stage.camera.position.distanceTo(from);
    const way = to.clone().sub(from);
    const length = Math.max(way.length(), 1e-9);
    this.rod.position.copy(from).addScaledVector(way, 0.5);
    this.rod.quaternion.setFromUnitVectors(UP, way.divideScalar(length));
    this.rod.scale.set(thick, length, thick);
    this.ends.forEach((end, k) => {
      end.position.copy(k === 0 ? from : to);
      end.scale.setScalar((k === 0 ? 3 : 2.2) * thick);
    });
    this.line.visible = true;
    this.stage.refresh();
  }
}

const turn = new Quaternion();

function toWorld(poses: Float32Array, node: number, point: readonly number[]): Vector3 {
  const k = ROW * node;
  turn.set(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
  return new Vector3(point[0], point[1], point[2]).applyQuaternion(turn).add(at(poses, k));
}

function toBody(poses: Float32Array, node: number, place: Vector3): Vector3 {
  const k = ROW * node;
  turn.set(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]).conjugate();
  return place.clone().sub(at(poses, k)).applyQuaternion(turn);
}

function at(poses: Float32Array, k: number): Vector3 {
  return new Vector3(poses[k], poses[k + 1], poses[k + 2]);
}

function triple(v: Vector3): [number, number, number] {
  return [v.x, v.y, v.z];
}
