// What comes with every frame: surfaces that deform and lines; and springs, which follow their bodies.
import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Group, LineBasicMaterial, LineSegments,
  type Material, Mesh, MeshStandardMaterial, Vector3,
} from "three";
import type { Frame } from "./frame";
import { coil, Glyphs } from "./glyphs";
import { nodeMatrix } from "./model";
import type { Scene } from "./messages";
import { normals } from "./normals";
import { plainSurface, type PlainLight } from "./plain";
import { bytes } from "./surfaces";

const SURFACE = 2;
const LINES = 4;
const STEEL = new Color("#8a96a3").toArray();

export class Drawings {
  readonly group = new Group();
  private readonly skins: Mesh[];
  private readonly strokes: LineSegments[];
  private readonly bands: Glyphs;
  private poses: Float32Array | null = null;
  private stretched = true; // whether springs are shown
  size = 1; // radius of the scene [m]

  constructor(
    private readonly scene: Scene,
    light: PlainLight,
    cheap: boolean,
  ) {
    this.skins = scene.skins.map((skin) => {
      const geometry = new BufferGeometry();
      geometry.setIndex(new BufferAttribute(new Uint32Array(bytes(skin.faces)), 1));
      for (const name of ["position", "normal"])
        geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * skin.vertices), 3).setUsage(DynamicDrawUsage));
      const colour = new Color().setRGB(...skin.colour, "srgb");
      const material: Material = cheap
        ? plainSurface(light, colour)
        : new MeshStandardMaterial({ color: colour, roughness: 0.6, side: DoubleSide });
      const mesh = new Mesh(geometry, material);
      mesh.castShadow = mesh.receiveShadow = !cheap;
      mesh.visible = false;
      return mesh;
    });
    this.strokes = scene.strokes.map((told) => lineSet(new Color().setRGB(...told.colour, "srgb")));
    this.bands = new Glyphs(coil, light, false, (mesh) => this.group.add(mesh));
    for (const child of [...this.skins, ...this.strokes]) this.group.add(child);
    for (const child of this.group.children) child.frustumCulled = false;
  }

  show(frame: Frame): void {
    for (const section of frame.sections) {
      if (section.kind !== SURFACE && section.kind !== LINES) continue;
      const number = new DataView(frame.data).getUint32(section.start, true);
      const points = new Float32Array(frame.data, section.start + 4, (section.length - 4) / 4);
      if (section.kind === SURFACE && this.skins[number]) showSkin(this.skins[number], points);
      if (section.kind === LINES && this.strokes[number]) showLines(this.strokes[number], points);
    }
    this.showBands(frame.poses);
  }

  set springs(on: boolean) {
    this.stretched = on;
    if (this.poses) this.showBands(this.poses);
  }

  get springCount(): number {
    return this.bands.count;
  }

  /** Corners of all surfaces that deform. */
  get corners(): number {
    return this.skins.reduce((sum, mesh) => sum + (mesh.visible ? mesh.geometry.getAttribute("position").count : 0), 0);
  }

  /** Points that belong into the picture when the whole of it is to be seen. */
  points(): Vector3[] {
    const skins = this.skins.flatMap((mesh) => {
      if (!mesh.visible) return [];
      mesh.geometry.computeBoundingBox();
      const box = mesh.geometry.boundingBox;
      return box ? [box.min.clone(), box.max.clone()] : [];
    });
    const { poses, scene } = this;
    if (!poses) return skins;
    const ends = scene.bands.flatMap(({ a, b, at_a, at_b }) => [
      new Vector3(...at_a).applyMatrix4(nodeMatrix(poses, a)),
      new Vector3(...at_b).applyMatrix4(nodeMatrix(poses, b)),
    ]);
    return [...skins, ...ends];
  }

  dispose(): void {
    this.group.removeFromParent();
    this.bands.dispose();
    for (const child of [...this.skins, ...this.strokes]) {
      child.geometry.dispose();
      (child.material as Material).dispose();
    }
  }

  private showBands(poses: Float32Array): void {
    this.poses = poses;
    const bands = this.stretched ? this.scene.bands : [];
    this.bands.begin(bands.length);
    const width = 0.02 * this.size;
    bands.forEach((band, i) => {
      end.set(...band.at_a).applyMatrix4(nodeMatrix(poses, band.a));
      way.set(...band.at_b).applyMatrix4(nodeMatrix(poses, band.b)).sub(end);
      const length = way.length();
      if (length > 0) way.divideScalar(length);
      else way.set(0, 0, 1);
      this.bands.set(i, end, way, length, width, STEEL);
    });
    this.bands.end();
  }
}

const way = new Vector3();
const end = new Vector3();

function lineSet(colour: Color): LineSegments {
  return new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: colour }));
}

function showLines(lines: LineSegments, points: Float32Array): void {
  const held = lines.geometry.getAttribute("position") as BufferAttribute | undefined;
  if (held && held.array.length >= points.length) {
    held.set(points);
    held.needsUpdate = true;
  } else {
    lines.geometry.dispose();
    lines.geometry.setAttribute("position", new BufferAttribute(points.slice(), 3).setUsage(DynamicDrawUsage));
  }
  lines.geometry.setDrawRange(0, points.length / 3);
}

function showSkin(mesh: Mesh, points: Float32Array): void {
  const position = mesh.geometry.getAttribute("position") as BufferAttribute;
  const normal = mesh.geometry.getAttribute("normal") as BufferAttribute;
  if (points.length !== position.array.length) return;
  position.set(points);
  normals(points, mesh.geometry.index?.array as Uint32Array, normal.array as Float32Array);
  position.needsUpdate = normal.needsUpdate = true;
  mesh.visible = true;
}
