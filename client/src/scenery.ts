// Scenery: surfaces in parts that are left out where they are not seen, and copies of small things in cells, the farther
// ones drawn simpler. What has been fetched once is kept.
import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, Frustum, Group, InstancedBufferAttribute, InstancedMesh, type Material, Matrix4,
  Mesh, MeshLambertMaterial, MeshStandardMaterial, type PerspectiveCamera, Quaternion, ShaderChunk, Sphere, Vector3,
} from "three";
import { blob, Cut } from "./blobs";
import { grain, GRAINED } from "./grain";
import { LAMP, type Lamps } from "./lamps";
import type { Piece, Scenery as Told } from "./messages";
import { note } from "./notes";
import { hasSoftwareOnly } from "./quality";
import { thing } from "./things";

const PART = 24_000; // triangles of a surface that are drawn, or left out, together
const CELL = 90; // edge of a cell of copies [m]
const NEAR = 140; // cells nearer than this have their things in full [m]

interface Made {
  piece: Piece;
  group: Group;
  relight?: (lamps: Lamps | null) => void;
  cells?: Cell[];
}

interface Cell {
  ball: Sphere;
  near: InstancedMesh;
  far: InstancedMesh;
}

export class Scenery {
  readonly group = new Group();
  private readonly made = new Map<string, Made>();
  private told: Piece[] = [];
  private lamps: Lamps | null = null;

  constructor(private readonly changed: () => void) {}

  get triangles(): number {
    return this.shownPieces().reduce((sum, { piece }) => sum + piece.faces, 0);
  }

  get copies(): number {
    return this.shownPieces().reduce((sum, { piece }) => sum + piece.copies, 0);
  }

  /** Names of what is seen, once it is there. */
  get shown(): string[] {
    return this.shownPieces().map(({ piece }) => piece.name);
  }

  /** Whether all that was told of is there. */
  get ready(): boolean {
    return this.told.every((piece) => this.made.get(piece.name)?.piece.blob === piece.blob);
  }

  set(told: Told): void {
    this.told = told.pieces;
    for (const [name, { piece, group }] of this.made) {
      const now = told.pieces.find((one) => one.name === name);
      if (now && now.blob === piece.blob) continue;
      group.removeFromParent();
      group.traverse((mesh) => mesh instanceof Mesh && mesh.geometry.dispose());
      this.made.delete(name);
    }
    for (const piece of told.pieces) {
      const known = this.made.get(piece.name);
      if (known) {
        known.piece = piece;
        known.group.visible = piece.shown;
      } else
        void blob(piece.blob).then((data) => this.add(piece, data)).catch((error) => note(String(error.message ?? error)));
    }
    this.changed();
  }

  /** Other lamps light the surfaces. */
  relight(lamps: Lamps | null): void {
    this.lamps = lamps;
    for (const { relight } of this.made.values()) relight?.(lamps);
    this.changed();
  }

  /** Choose what is drawn in full and what simply, for an eye. */
  goAlong(camera: PerspectiveCamera): void {
    for (const { cells } of this.made.values())
      for (const { ball, near, far } of cells ?? []) {
        near.visible = ball.distanceToPoint(camera.position) < NEAR;
        far.visible = !near.visible;
      }
  }

  /** Triangles that a camera would draw now, for tests of what is left out. */
  seen(camera: PerspectiveCamera): number {
    const view = new Frustum().setFromProjectionMatrix(new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse));
    let sum = 0;
    this.group.traverseVisible((mesh) => {
      if (mesh instanceof Mesh && mesh.geometry.boundingSphere && view.intersectsSphere(mesh.geometry.boundingSphere) && !(mesh instanceof InstancedMesh))
        sum += (mesh.geometry.index?.count ?? 0) / 3;
    });
    return sum;
  }

  private shownPieces(): Made[] {
    return [...this.made.values()].filter(({ piece }) => piece.shown);
  }

  private add(piece: Piece, data: ArrayBuffer): void {
    const now = this.told.find((one) => one.name === piece.name);
    if (!now || now.blob !== piece.blob || this.made.get(piece.name)) return; // another one meanwhile
    const made = piece.shape === "surface" ? surface(now, data) : copies(now, data);
    made.group.visible = now.shown;
    made.relight?.(this.lamps);
    this.made.set(piece.name, made);
    this.group.add(made.group);
    this.changed();
  }
}

function surface(piece: Piece, data: ArrayBuffer): Made {
  const cut = new Cut(data);
  const points = cut.f32(3 * piece.vertices);
  const normals = cut.i16(4 * piece.vertices);
  const colours = cut.u8(4 * piece.vertices);
  const faces = cut.u32(3 * piece.faces);
  const ways = piece.texture ? new BufferAttribute(cut.f32(2 * piece.vertices), 2) : null;
  linear(colours);
  const position = new BufferAttribute(points, 3);
  const normal = new BufferAttribute(normals, 4, true);
  const colour = new BufferAttribute(colours, 4, true);
  const lamp = new BufferAttribute(new Uint8Array(piece.vertices), 1, true);
  const material = lit(piece);
  const group = new Group();
  for (let from = 0; from < faces.length; from += 3 * PART) {
    const own = faces.subarray(from, from + 3 * PART);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", position);
    geometry.setAttribute("normal", normal);
    geometry.setAttribute("color", colour);
    geometry.setAttribute("lamp", lamp);
    if (ways) geometry.setAttribute("grain", ways);
    geometry.setIndex(new BufferAttribute(own, 1));
    geometry.boundingSphere = around(points, own);
    const mesh = new Mesh(geometry, material);
    mesh.castShadow = piece.shadow;
    mesh.receiveShadow = true;
    group.add(mesh);
  }
  const relight = (lamps: Lamps | null): void => {
    const to = lamp.array as Uint8Array;
    if (lamps) lamps.onto(points, normals).forEach((light, i) => (to[i] = Math.round(255 * Math.sqrt(Math.min(1, light / BRIGHTEST)))));
    else to.fill(0);
    lamp.needsUpdate = true;
  };
  return { piece, group, relight };
}

const BRIGHTEST = 6; // light of lamps that a corner can tell of

/** Colours of a screen to linear light, in place; eight bits are enough for scenery. */
function linear(colours: Uint8Array): void {
  const table = Uint8Array.from({ length: 256 }, (_, k) => Math.round(255 * new Color().setRGB(k / 255, 0, 0, "srgb").r));
  for (let i = 0; i < colours.length; i += 4) for (let c = 0; c < 3; c++) colours[i + c] = table[colours[i + c]];
}

function around(points: Float32Array, faces: Uint32Array): Sphere {
  const low = new Vector3(Infinity, Infinity, Infinity);
  const high = low.clone().negate();
  const p = new Vector3();
  for (const v of faces) {
    p.set(points[3 * v], points[3 * v + 1], points[3 * v + 2]);
    low.min(p);
    high.max(p);
  }
  return new Sphere(low.clone().add(high).multiplyScalar(0.5), 0.5 * low.distanceTo(high));
}

/** What smooth ice mirrors where it is looked along: the sky above the horizon. */
export const SHEEN = { value: new Color() };

/**
 * A material that also gives back the light of lamps that its corners tell of; real lamps are for bodies alone. What is
 * glossy mirrors the sky, the more the flatter it is looked along (Schlick, 1994, without the share straight on).
 */
function lit(piece: Piece): Material {
  const how = { vertexColors: true, side: DoubleSide };
  const rough = 0.85 - 0.6 * piece.gloss;
  const material = hasSoftwareOnly() ? new MeshLambertMaterial(how) : new MeshStandardMaterial({ ...how, roughness: rough, metalness: 0 });
  const grained = piece.texture !== "";
  const [declared, handed] = grained ? ["attribute vec2 grain;\nvarying vec2 vGrain;\n", "\nvGrain = grain;"] : ["", ""];
  const mirror = piece.gloss > 0 ? `
    float flat_on = abs(dot(normalize(vViewPosition), normal));
    outgoingLight = mix(outgoingLight, uSheen * (1.0 + 3.0 * vLamp), ${(0.75 * piece.gloss).toFixed(3)} * (0.4 + 0.6 * polish) * pow(1.0 - flat_on, 4.0));` : "";
  material.onBeforeCompile = (shader) => {
    shader.uniforms.uLamp = { value: LAMP.clone().multiplyScalar(BRIGHTEST / Math.PI) };
    shader.uniforms.uSheen = SHEEN;
    if (grained) shader.uniforms.uGrain = { value: grain() };
    shader.vertexShader = `${declared}attribute float lamp;\nvarying float vLamp;\n${shader.vertexShader.replace("#include <begin_vertex>", `#include <begin_vertex>\nvLamp = lamp * lamp;${handed}`)}`;
    shader.fragmentShader = `uniform vec3 uLamp, uSheen;\nvarying float vLamp;\n${grained ? "uniform sampler2D uGrain;\nvarying vec2 vGrain;\n" : ""}${shader.fragmentShader
      .replace("#include <color_fragment>", `#include <color_fragment>\nfloat polish = 1.0;\n${GRAINED[piece.texture]}`)
      .replace("#include <emissivemap_fragment>", "#include <emissivemap_fragment>\ntotalEmissiveRadiance += diffuseColor.rgb * uLamp * vLamp;")
      .replace("#include <lights_fragment_begin>", ShaderChunk.lights_fragment_begin.replaceAll("NUM_POINT_LIGHTS", "0"))
      .replace("#include <opaque_fragment>", `${mirror}\n#include <opaque_fragment>`)}`;
  };
  material.customProgramCacheKey = () => `${piece.texture} ${piece.gloss}`;
  return material;
}

function copies(piece: Piece, data: ArrayBuffer): Made {
  const rows = new Cut(data).f32(10 * piece.copies);
  const cells = new Map<string, number[]>();
  for (let i = 0; i < piece.copies; i++) {
    const key = `${Math.floor(rows[10 * i] / CELL)},${Math.floor(rows[10 * i + 1] / CELL)}`;
    const own = cells.get(key);
    if (own) own.push(i);
    else cells.set(key, [i]);
  }
  const kind = piece.shape as Exclude<Piece["shape"], "surface">;
  const [near, far] = [thing(kind, true), thing(kind, false)];
  const how = { vertexColors: true };
  const material = hasSoftwareOnly() ? new MeshLambertMaterial(how) : new MeshStandardMaterial({ ...how, roughness: 0.9, flatShading: kind === "rock" });
  const group = new Group();
  const made = [...cells.values()].map((own) => cell(rows, own, near, far, material, piece.shadow));
  for (const { near: a, far: b } of made) group.add(a, b);
  return { piece, group, cells: made };
}

function cell(rows: Float32Array, own: number[], near: BufferGeometry, far: BufferGeometry, material: Material, shadow: boolean): Cell {
  const matrices = new InstancedBufferAttribute(new Float32Array(16 * own.length), 16);
  const colours = new InstancedBufferAttribute(new Float32Array(3 * own.length), 3);
  const [at, turn, size, place, tint] = [new Vector3(), new Quaternion(), new Vector3(), new Matrix4(), new Color()];
  const ball = new Sphere();
  ball.makeEmpty();
  own.forEach((k, i) => {
    const row = rows.subarray(10 * k, 10 * k + 10);
    at.set(row[0], row[1], row[2]);
    size.set(row[4], row[5], row[6]);
    turn.setFromAxisAngle(UP, row[3]);
    place.compose(at, turn, size).toArray(matrices.array, 16 * i);
    tint.setRGB(row[7], row[8], row[9], "srgb").toArray(colours.array, 3 * i);
    ball.union(new Sphere(at.clone(), 1.2 * Math.max(row[4], row[5], row[6])));
  });
  const make = (shape: BufferGeometry): InstancedMesh => {
    const mesh = new InstancedMesh(shape, material, own.length);
    mesh.instanceMatrix = matrices;
    mesh.instanceColor = colours;
    mesh.boundingSphere = ball;
    mesh.castShadow = shadow;
    mesh.receiveShadow = true;
    return mesh;
  };
  const made = { ball, near: make(near), far: make(far) };
  made.far.castShadow = false;
  return made;
}

const UP = new Vector3(0, 0, 1);
