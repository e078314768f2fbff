// Many items of one surface, drawn at once and moved by one loop over the numbers of a frame.
//
// Usually they are instances of the surface. Without a graphics processor an instance costs as much as a thousand
// corners, so there all items are one surface, whose corners look their matrix up in a texture.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DataTexture,
  DynamicDrawUsage,
  FloatType,
  InstancedBufferAttribute,
  InstancedMesh,
  type Material,
  Matrix4,
  Mesh,
  Quaternion,
  Raycaster,
  RGBAFormat,
  Vector3,
} from "three";
import { ROW } from "./frame";
import type { Item, Scene } from "./messages";

const WIDE = 1024; // numbers of four in a row of the texture; an item takes four of them

export interface Carrier {
  mesh: Mesh;
  matrices: Float32Array; // 16 numbers an item, by columns; a texture keeps the colour in the last of each column
  changed: () => void;
  paint: (colours: Float32Array) => void; // 3 numbers an item
}

export class Batch {
  readonly mesh: Mesh;
  private readonly carrier: Carrier;
  private readonly nodes: Uint32Array;
  private readonly places: Float32Array; // of the items in their bodies: four columns of three numbers
  private readonly moving: Uint32Array; // items whose body moves
  private readonly own: Float32Array; // colours as the model has them
  private placed = false;

  constructor(
    scene: Scene,
    readonly items: Item[],
    readonly surface: BufferGeometry,
    material: Material | ((matrices: DataTexture) => Material),
    colourOf: (item: Item) => Color,
  ) {
    const count = items.length;
    this.carrier = typeof material === "function" ? merged(surface, count, material) : instances(surface, count, material);
    this.mesh = this.carrier.mesh;
    this.mesh.frustumCulled = false;
    this.nodes = Uint32Array.from(items, (item) => item.node);
    this.moving = Uint32Array.from(items.keys()).filter((i) => !scene.nodes[items[i].node].static);
    this.places = new Float32Array(12 * count);
    this.own = new Float32Array(3 * count);
    items.forEach((item, i) => {
      const m = placeOf(item).elements;
      for (let c = 0; c < 4; c++) for (let r = 0; r < 3; r++) this.places[12 * i + 3 * c + r] = m[4 * c + r];
      colourOf(item).toArray(this.own, 3 * i);
      this.carrier.matrices[16 * i + 15] = 1;
    });
    this.carrier.paint(this.own);
  }

  /** Move the items to where a frame has their bodies:  R_W = R(q) R_B,  p_W = R(q) p_B + p. */
  show(poses: Float32Array): void {
    const to = this.carrier.matrices;
    const { nodes, places } = this;
    const count = this.placed ? this.moving.length : nodes.length;
    for (let k = 0; k < count; k++) {
      const i = this.placed ? this.moving[k] : k;
      const n = ROW * nodes[i];
      const w = poses[n + 3], x = poses[n + 4], y = poses[n + 5], z = poses[n + 6];
      const xx = 1 - 2 * (y * y + z * z), xy = 2 * (x * y - w * z), xz = 2 * (x * z + w * y);
      const yx = 2 * (x * y + w * z), yy = 1 - 2 * (x * x + z * z), yz = 2 * (y * z - w * x);
      const zx = 2 * (x * z - w * y), zy = 2 * (y * z + w * x), zz = 1 - 2 * (x * x + y * y);
      for (let c = 0; c < 4; c++) {
        const p = 12 * i + 3 * c, t = 16 * i + 4 * c;
        const a = places[p], b = places[p + 1], d = places[p + 2];
        to[t] = xx * a + xy * b + xz * d;
        to[t + 1] = yx * a + yy * b + yz * d;
        to[t + 2] = zx * a + zy * b + zz * d;
      }
      to[16 * i + 12] += poses[n];
      to[16 * i + 13] += poses[n + 1];
      to[16 * i + 14] += poses[n + 2];
    }
    if (count > 0) this.carrier.changed();
    this.placed = true;
  }

  /** Colours a node, linear; those of the model for null. */
  paint(colours: Float32Array | null): void {
    if (colours === null) {
      this.carrier.paint(this.own);
      return;
    }
    const made = new Float32Array(3 * this.nodes.length);
    this.nodes.forEach((node, i) => made.set(colours.subarray(3 * node, 3 * node + 3), 3 * i));
    this.carrier.paint(made);
  }

  /** The item that a ray meets first, and where. */
  pick(ray: Raycaster): { item: Item; point: Vector3; distance: number } | null {
    const probe = new Mesh(this.surface);
    let found: { item: Item; point: Vector3; distance: number } | null = null;
    this.items.forEach((item, i) => {
      probe.matrixWorld.fromArray(this.carrier.matrices, 16 * i);
      const e = probe.matrixWorld.elements;
      e[3] = e[7] = e[11] = 0;
      const [hit] = ray.intersectObject(probe, false);
      if (hit && (found === null || hit.distance < found.distance)) {
        found = { item, point: hit.point, distance: hit.distance };
      }
    });
    return found;
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    this.surface.dispose();
    if (this.mesh instanceof InstancedMesh) this.mesh.dispose();
  }
}

function instances(surface: BufferGeometry, count: number, material: Material): Carrier {
  const mesh = new InstancedMesh(surface, material, count);
  mesh.instanceMatrix.setUsage(DynamicDrawUsage);
  const colour = (mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * count), 3));
  return {
    mesh,
    matrices: mesh.instanceMatrix.array as Float32Array,
    changed: () => (mesh.instanceMatrix.needsUpdate = true),
    paint: (colours) => {
      colour.set(colours);
      colour.needsUpdate = true;
    },
  };
}

export function merged(surface: BufferGeometry, count: number, material: (matrices: DataTexture) => Material): Carrier {
  const rows = Math.ceil((4 * count) / WIDE);
  const matrices = new Float32Array(4 * WIDE * rows);
  const texture = new DataTexture(matrices, WIDE, rows, RGBAFormat, FloatType);
  texture.needsUpdate = true;
  const mesh = new Mesh(copies(surface, count), material(texture));
  return {
    mesh,
    matrices,
    changed: () => (texture.needsUpdate = true),
    paint: (colours) => {
      for (let i = 0; i < count; i++) for (let c = 0; c < 3; c++) matrices[16 * i + 4 * c + 3] = colours[3 * i + c];
      texture.needsUpdate = true;
    },
  };
}

/** One surface of so many, each corner with the number of its copy. */
function copies(surface: BufferGeometry, count: number): BufferGeometry {
  const corners = surface.getAttribute("position").count;
  const index = surface.index?.array ?? Uint32Array.from({ length: corners }, (_, k) => k);
  const made = new BufferGeometry();
  for (const name of ["position", "normal"]) {
    const one = surface.getAttribute(name).array as Float32Array;
    const all = new Float32Array(one.length * count);
    for (let i = 0; i < count; i++) all.set(one, one.length * i);
    made.setAttribute(name, new BufferAttribute(all, 3));
  }
  const copy = new Float32Array(corners * count);
  const faces = new Uint32Array(index.length * count);
  for (let i = 0; i < count; i++) {
    copy.fill(i, corners * i, corners * (i + 1));
    for (let k = 0; k < index.length; k++) faces[index.length * i + k] = index[k] + corners * i;
  }
  made.setAttribute("copy", new BufferAttribute(copy, 1));
  made.setIndex(new BufferAttribute(faces, 1));
  return made;
}

export function placeOf(item: Item): Matrix4 {
  const [w, x, y, z] = item.rotation;
  return new Matrix4().compose(new Vector3(...item.at), new Quaternion(x, y, z, w), new Vector3(...item.scale));
}
