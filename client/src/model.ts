// What a model looks like: one InstancedMesh a surface, moved by frames.
import {
  Box3,
  Color,
  Group,
  InstancedMesh,
  Matrix4,
  type Material,
  Quaternion,
  Sphere,
  Vector3,
  DynamicDrawUsage,
} from "three";
import { ROW } from "./frame";
import type { Item, Scene } from "./messages";
import { surfaceOf } from "./surfaces";

const MANY = 300; // items, from which on round surfaces get fewer sides

interface Batch {
  mesh: InstancedMesh;
  items: Item[];
  places: Matrix4[]; // of the items in their bodies
  moving: number[]; // those whose body moves
}

export interface Materials {
  solid: Material;
  ground: Material;
}

export class ModelPicture {
  readonly group = new Group();
  readonly ground: number | null; // height of a horizontal plane of the model, if there is one [m]
  private readonly batches: Batch[] = [];
  private placed = false;

  constructor(
    readonly scene: Scene,
    materials: Materials,
  ) {
    const items = scene.items.filter((item) => item.visual);
    scene.geometries.forEach((geometry, k) => {
      const own = items.filter((item) => item.geometry === k);
      if (own.length === 0) return;
      const plane = geometry.shape === "plane";
      const mesh = new InstancedMesh(
        surfaceOf(geometry, items.length > MANY),
        plane ? materials.ground : materials.solid,
        own.length,
      );
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.castShadow = !plane;
      mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      mesh.userData.nodes = own.map((item) => item.node); // for who picks
      const colour = new Color();
      own.forEach((item, i) => {
        const [r, g, b] = item.colour;
        const bare = plane && Math.max(r, g, b) - Math.min(r, g, b) < 0.05; // a grey floor is that of the stage
        mesh.setColorAt(i, bare ? colour.set("#ffffff") : colour.setRGB(r, g, b, "srgb"));
      });
      this.group.add(mesh);
      const moving = own.flatMap((item, i) => (scene.nodes[item.node].static ? [] : [i]));
      this.batches.push({ mesh, items: own, places: own.map(placeOf), moving });
    });
    const planes = items.filter((item) => scene.geometries[item.geometry].shape === "plane");
    this.ground = planes.length > 0 ? planes[0].at[2] : null;
  }

  /** Move everything to where a frame has it. */
  show(poses: Float32Array): void {
    for (const batch of this.batches) {
      const which = this.placed ? batch.moving : batch.items.map((_, i) => i);
      if (which.length === 0) continue;
      for (const i of which) {
        batch.mesh.setMatrixAt(i, nodeMatrix(poses, batch.items[i].node).multiply(batch.places[i]));
      }
      batch.mesh.instanceMatrix.needsUpdate = true;
    }
    this.placed = true;
  }

  /** The ball around all that has an end, at a frame. */
  extent(poses: Float32Array, movingAlone = false): Sphere {
    const box = new Box3();
    for (const batch of this.batches) {
      if (this.scene.geometries[batch.items[0].geometry].shape === "plane") continue;
      batch.mesh.geometry.computeBoundingBox();
      const own = batch.mesh.geometry.boundingBox as Box3;
      for (const i of movingAlone ? batch.moving : batch.items.keys()) {
        box.union(own.clone().applyMatrix4(nodeMatrix(poses, batch.items[i].node).multiply(batch.places[i])));
      }
    }
    return box.isEmpty() ? new Sphere(new Vector3(), 2) : box.getBoundingSphere(new Sphere());
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const { mesh } of this.batches) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
  }
}

function placeOf(item: Item): Matrix4 {
  const [w, x, y, z] = item.rotation;
  return new Matrix4().compose(new Vector3(...item.at), new Quaternion(x, y, z, w), new Vector3(...item.scale));
}

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
