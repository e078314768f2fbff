// Other runs beside the first, each in one colour that light shines through.
import { Mesh, MeshLambertMaterial } from "three";
import { ROW, type Frame } from "./frame";
import type { Scene } from "./messages";
import { ModelPicture } from "./model";
import type { Stage } from "./stage";

const GHOST = 5; // type of their sections in frames
const OPACITY = 0.38;

export class Ghosts {
  private pictures: ModelPicture[] = [];
  private poses: (Float32Array | null)[] = [];

  constructor(private readonly stage: Stage) {}

  get count(): number {
    return this.pictures.length;
  }

  setScene(scene: Scene): void {
    for (const picture of this.pictures) picture.dispose();
    const solid = new MeshLambertMaterial({
      transparent: true, opacity: OPACITY, depthWrite: false,
      polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4, // where it is where the first run is, that one is seen
    });
    this.pictures = scene.ghosts.map((ghost) => {
      const { nodes, geometries, items } = ghost;
      const picture = new ModelPicture({ ...scene, nodes, geometries, items, joints: [] }, { solid, ground: solid });
      picture.group.traverse((part) => {
        if (part instanceof Mesh) part.castShadow = part.receiveShadow = false;
      });
      picture.group.visible = false; // until a frame tells where it is
      this.stage.space.add(picture.group);
      return picture;
    });
    this.poses = this.pictures.map(() => null);
  }

  show(frame: Frame): void {
    for (const { kind, start, length } of frame.sections) {
      if (kind !== GHOST || length < 4) continue;
      const k = new DataView(frame.data).getUint32(start, true) - 1;
      const picture = this.pictures[k];
      if (!picture || length !== 4 + 4 * ROW * picture.scene.nodes.length) continue;
      const poses = new Float32Array(frame.data, start + 4, ROW * picture.scene.nodes.length);
      this.poses[k] = poses;
      picture.show(poses);
      picture.group.visible = true;
    }
  }

  /** Position and quaternion of a body of a ghost, counted from 1. */
  pose(ghost: number, name: string): number[] | null {
    const k = this.pictures[ghost - 1]?.scene.nodes.findIndex((node) => node.name === name) ?? -1;
    const poses = this.poses[ghost - 1];
    return k < 0 || !poses ? null : [...poses.subarray(ROW * k, ROW * (k + 1))];
  }
}
