// Small signs in space, many at once: arrows and dots as copies of one surface, whose matrices are in a texture.
import {
  CatmullRomCurve3, ConeGeometry, CylinderGeometry, type BufferGeometry, type Mesh, OctahedronGeometry, TubeGeometry, Vector3,
} from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { merged, type Carrier } from "./batch";
import { plainSolid, type PlainLight } from "./plain";

const TURNS = 9; // of a coil
const SPARE = 8; // room for some more

/** An arrow of length 1 along z. */
export function arrow(): BufferGeometry {
  const shaft = new CylinderGeometry(0.016, 0.016, 0.8, 6, 1, true).translate(0, 0.4, 0);
  const tip = new ConeGeometry(0.05, 0.22, 8).translate(0, 0.89, 0);
  return mergeGeometries([shaft, tip]).rotateX(Math.PI / 2);
}

/** A coil of length 1 along z, about 16 times as long as wide before it is stretched. */
export function coil(): BufferGeometry {
  const points = [new Vector3(0, 0, 0), new Vector3(0, 0, 0.8)];
  for (let k = 0; k <= 12 * TURNS; k++) {
    const angle = (2 * Math.PI * k) / 12;
    points.push(new Vector3(Math.cos(angle), Math.sin(angle), 1.2 + (13.6 * k) / (12 * TURNS)));
  }
  points.push(new Vector3(0, 0, 15.2), new Vector3(0, 0, 16));
  return new TubeGeometry(new CatmullRomCurve3(points), 14 * TURNS, 0.16, 5).scale(1, 1, 1 / 16);
}

/** A dot of radius 1. */
export function dot(): BufferGeometry {
  const made = new OctahedronGeometry(1, 2);
  made.setAttribute("normal", made.getAttribute("position").clone());
  return made;
}

export class Glyphs {
  mesh: Mesh | null = null;
  count = 0;
  private carrier: Carrier | null = null;
  private room = 0;
  private each = 0; // corners of triangles of one

  /** ``through`` draws them over what they are in. */
  constructor(
    private readonly surface: () => BufferGeometry,
    private readonly light: PlainLight,
    private readonly through: boolean,
    private readonly put: (mesh: Mesh) => void,
  ) {}

  /** Make room for so many, and draw so many from now on. */
  begin(count: number): void {
    if (count > this.room) {
      this.dispose();
      this.room = Math.ceil(1.5 * count) + SPARE;
      const surface = this.surface();
      this.carrier = merged(surface, this.room, (matrices) => {
        const material = plainSolid(this.light, matrices);
        if (this.through) Object.assign(material, { depthTest: false, depthWrite: false, transparent: true });
        return material;
      });
      this.mesh = this.carrier.mesh;
      this.mesh.frustumCulled = false;
      this.mesh.renderOrder = this.through ? 5 : 0;
      this.each = surface.index?.count ?? surface.getAttribute("position").count;
      this.put(this.mesh);
    }
    this.count = count;
    this.mesh?.geometry.setDrawRange(0, this.each * count);
    if (this.mesh) this.mesh.visible = count > 0;
  }

  /** The sign along a direction z, of a length along it and a width across. */
  set(i: number, at: Vector3, z: Vector3, length: number, width: number, colour: readonly number[]): void {
    if (!this.carrier) return;
    side.set(Math.abs(z.x) < 0.7 ? 1 : 0, Math.abs(z.x) < 0.7 ? 0 : 1, 0).cross(z).normalize();
    other.crossVectors(z, side);
    const to = this.carrier.matrices;
    const k = 16 * i;
    to[k] = width * side.x; to[k + 1] = width * side.y; to[k + 2] = width * side.z; to[k + 3] = colour[0];
    to[k + 4] = width * other.x; to[k + 5] = width * other.y; to[k + 6] = width * other.z; to[k + 7] = colour[1];
    to[k + 8] = length * z.x; to[k + 9] = length * z.y; to[k + 10] = length * z.z; to[k + 11] = colour[2];
    to[k + 12] = at.x; to[k + 13] = at.y; to[k + 14] = at.z; to[k + 15] = 1;
  }

  see(on: boolean): void {
    if (this.mesh) this.mesh.visible = on && this.count > 0;
  }

  end(): void {
    this.carrier?.changed();
  }

  dispose(): void {
    this.mesh?.removeFromParent();
    this.mesh?.geometry.dispose();
    this.mesh = this.carrier = null;
    this.room = this.count = 0;
  }
}

const side = new Vector3();
const other = new Vector3();
