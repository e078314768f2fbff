// The body that is selected: its edges, drawn over all else.
import { BufferGeometry, LineBasicMaterial, LineSegments } from "three";
import { type ModelPicture, nodeMatrix } from "./model";

export class Highlight {
  readonly lines = new LineSegments(
    new BufferGeometry(),
    new LineBasicMaterial({ color: "#ff8a1f", depthTest: false, transparent: true, toneMapped: false }),
  );
  private node = -1;

  constructor() {
    this.lines.renderOrder = 6;
    this.lines.frustumCulled = this.lines.visible = this.lines.matrixAutoUpdate = false;
  }

  /** Mark a node of a model; none for null. */
  select(model: ModelPicture | null, node: number, poses: Float32Array | null): void {
    this.lines.geometry.dispose();
    const edges = model?.edges(node) ?? null;
    this.lines.geometry = edges ?? new BufferGeometry();
    this.lines.visible = edges !== null;
    this.node = node;
    if (poses) this.show(poses);
  }

  show(poses: Float32Array): void {
    if (!this.lines.visible) return;
    this.lines.matrix.copy(nodeMatrix(poses, this.node));
    this.lines.matrixWorldNeedsUpdate = true;
  }
}
