// What a model looks like: one batch a surface, moved by frames. What is seen and what touches are two pictures of it.
import {
  Box3,
  BoxGeometry,
  type BufferGeometry,
  Color,
  type DataTexture,
  EdgesGeometry,
  Group,
  Matrix4,
  type Material,
  MeshBasicMaterial,
  Quaternion,
  type Raycaster,
  Sphere,
  Vector3,
} from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { Batch, placeOf } from "./batch";
import type { Shows } from "./cameras";
import { ROW } from "./frame";
import type { Item, Scene } from "./messages";
import { surfaceOf } from "./surfaces";

const MANY = 300; // items, from which on round surfaces get fewer sides

const MOST_CORNERS = 1_000_000; // of copies in one surface
const GREY = 0.12; // between the most and the least of red, green and blue
const SHADES = 0.4; // from the darkest to the lightest of grey bodies
const MOST_EDGED = 60_000; // corners of a surface whose edges are sought; others have those of the box around them

export interface Materials {
  solid: Material;
  ground: Material;
  copies?: (matrices: DataTexture) => Material; // for many items as one surface
}

export interface Picked {
  item: Item;
  point: Vector3;
  distance: number;
}

export class ModelPicture {
  readonly group = new Group();
  readonly ground: number | null; // height of a horizontal plane of the model, if there is one [m]
  private readonly visual: Batch[];
  private physical: Batch[] | null = null; // made when it is first shown
  private solids: Batch[] | null = null; // what touches as surfaces, made when it is first shown
  private poses: Float32Array | null = null;
  private colours: Float32Array | null = null;

  constructor(
    readonly scene: Scene,
    private readonly materials: Materials,
    private readonly changed: () => void = () => {}, // when a large surface has come
  ) {
    const items = scene.items.filter((item) => item.visual);
    const few = (surface: BufferGeometry, n: number) => n * surface.getAttribute("position").count < MOST_CORNERS;
    const material = (plane: boolean, surface: BufferGeometry, n: number) =>
      plane ? materials.ground : materials.copies && n > 1 && few(surface, n) ? materials.copies : materials.solid;
    this.visual = this.batches(items, material, (item) => this.colour(item));
    for (const { mesh, items: own } of this.visual) {
      mesh.castShadow = !this.isPlane(own[0]);
      mesh.receiveShadow = true;
    }
    const planes = items.filter((item) => this.isPlane(item));
    this.ground = planes.length > 0 ? planes[0].at[2] : null;
  }

  static isLarge(scene: Scene): boolean {
    return scene.items.length > MANY;
  }

  /** Move everything to where a frame has it. */
  show(poses: Float32Array): void {
    this.poses = poses;
    for (const batch of this.visual) batch.show(poses);
    if (this.physical?.[0]?.mesh.visible) for (const batch of this.physical) batch.show(poses);
    for (const batch of this.solids ?? []) batch.show(poses);
  }

  /** Show in the picture that is drawn next what the layers say, or one of both alone: what is seen, or what touches. */
  only(shows: Shows, layers: { visual: boolean; physical: boolean }): void {
    for (const batch of this.visual) {
      batch.mesh.visible = shows === "visual" || (shows === "layers" && layers.visual) || (shows === "proxies" && this.isPlane(batch.items[0]));
    }
    for (const batch of this.physical ?? []) batch.mesh.visible = shows === "layers" && layers.physical;
    if (shows === "proxies" && this.solids === null) {
      const items = this.scene.items.filter((item) => item.physical && !this.isPlane(item));
      this.solids = this.batches(items, () => this.materials.solid, (item) => new Color(item.visual ? "#5b8fb0" : "#d9813f"));
      if (this.poses) for (const batch of this.solids) batch.show(this.poses);
    }
    for (const batch of this.solids ?? []) batch.mesh.visible = shows === "proxies";
  }

  get proxies(): number {
    return this.solids?.reduce((sum, batch) => sum + batch.items.length, 0) ?? 0;
  }

  /** Colours by node, red green blue from 0 to 255; those of the model for null. */
  paint(colours: Uint8Array | null): void {
    if (colours === null && this.colours === null) return;
    this.colours = colours === null ? null : Float32Array.from(colours, (c) => LINEAR[c]);
    for (const batch of this.visual) if (!this.isPlane(batch.items[0])) batch.paint(this.colours);
  }

  showVisual(on: boolean): void {
    for (const batch of this.visual) batch.mesh.visible = on;
  }

  /** What touches, as wires, over what is seen. */
  showPhysical(on: boolean): void {
    if (on && this.physical === null) {
      const wires = new MeshBasicMaterial({ wireframe: true, transparent: true, opacity: 0.4 });
      const items = this.scene.items.filter((item) => item.physical && !this.isPlane(item));
      this.physical = this.batches(items, () => wires, (item) => new Color(item.visual ? "#146c94" : "#c2410c"));
    }
    for (const batch of this.physical ?? []) {
      batch.mesh.visible = on;
      if (on && this.poses) batch.show(this.poses);
    }
  }

  get wires(): number {
    return this.physical?.reduce((sum, batch) => sum + (batch.mesh.visible ? batch.items.length : 0), 0) ?? 0;
  }

  /** The ball around all that has an end, at a frame. */
  extent(poses: Float32Array, also: Vector3[] = []): Sphere {
    const box = new Box3().setFromPoints(also);
    for (const { surface, items } of this.visual) {
      if (this.isPlane(items[0])) continue;
      surface.computeBoundingBox();
      const own = surface.boundingBox as Box3;
      for (const item of items) {
        box.union(own.clone().applyMatrix4(nodeMatrix(poses, item.node).multiply(placeOf(item))));
      }
    }
    return box.isEmpty() ? new Sphere(new Vector3(), 2) : box.getBoundingSphere(new Sphere());
  }

  /** What a ray meets first of what is seen. */
  pick(ray: Raycaster): Picked | null {
    let found: Picked | null = null;
    for (const batch of this.visual) {
      const hit = batch.mesh.visible ? batch.pick(ray) : null;
      if (hit && (found === null || hit.distance < found.distance)) found = hit;
    }
    return found;
  }

  /** Edges of what is seen of a node, in its frame; null if there are none. */
  edges(node: number): BufferGeometry | null {
    const found = this.visual.flatMap(({ surface, items }) =>
      items.filter((item) => item.node === node && !this.isPlane(item)).map((item) => {
        return edgesOf(surface).applyMatrix4(placeOf(item));
      }),
    );
    return found.length > 0 ? mergeGeometries(found) : null;
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const batch of [...this.visual, ...(this.physical ?? []), ...(this.solids ?? [])]) batch.dispose();
  }

  private isPlane(item: Item): boolean {
    return this.scene.geometries[item.geometry].shape === "plane";
  }

  private batches(
    items: Item[],
    material: (plane: boolean, surface: BufferGeometry, n: number) => Material | ((matrices: DataTexture) => Material),
    colour: (item: Item) => Color,
  ): Batch[] {
    const large = items.length > MANY;
    const of = new Map<number, Item[]>();
    for (const item of items) {
      const own = of.get(item.geometry);
      if (own) own.push(item);
      else of.set(item.geometry, [item]);
    }
    return [...of].map(([k, own]) => {
      const told = this.scene.geometries[k];
      const surface = surfaceOf(told, large, this.changed);
      const batch = new Batch(this.scene, own, surface, material(told.shape === "plane", surface, own.length), colour);
      this.group.add(batch.mesh);
      return batch;
    });
  }

  private colour(item: Item): Color {
    const [r, g, b] = item.colour;
    const bare = this.isPlane(item) && Math.max(r, g, b) - Math.min(r, g, b) < 0.05; // a grey floor is that of the stage
    if (bare) return new Color("#ffffff");
    const grey = Math.max(r, g, b) - Math.min(r, g, b) < GREY && !this.scene.nodes[item.node].static;
    const shade = grey ? 1 + SHADES * (((0.618034 * item.node) % 1) - 0.5) : 1; // grey bodies are told apart
    return new Color().setRGB(r, g, b, "srgb").multiplyScalar(shade);
  }
}

function edgesOf(surface: BufferGeometry): BufferGeometry {
  if (surface.getAttribute("position").count <= MOST_EDGED) return new EdgesGeometry(surface);
  surface.computeBoundingBox();
  const { min, max } = surface.boundingBox as Box3;
  const [size, middle] = [max.clone().sub(min), max.clone().add(min).multiplyScalar(0.5)];
  return new EdgesGeometry(new BoxGeometry(...size.toArray()).translate(...middle.toArray()));
}

/** Linear light of the 256 values that a screen has. */
const LINEAR = Float32Array.from({ length: 256 }, (_, k) => new Color().setRGB(k / 255, 0, 0, "srgb").r);

const matrix = new Matrix4();
const position = new Vector3();
const turn = new Quaternion();
const one = new Vector3(1, 1, 1);

/** Where a node is; the matrix is written anew by the next call. */
export function nodeMatrix(poses: Float32Array, node: number): Matrix4 {
  const k = ROW * node;
  position.set(poses[k], poses[k + 1], poses[k + 2]);
  turn.set(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
  return matrix.compose(position, turn, one);
}
