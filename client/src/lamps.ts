// Lamps of a night. All of them glow and light the scenery, by a share that is reckoned once a corner; only those nearest to
// the eye are lights that bodies see, and they fade in and out so that none is seen to change places.
import {
  AdditiveBlending, BufferAttribute, BufferGeometry, CanvasTexture, Color, Group, InstancedMesh, Matrix4, MeshBasicMaterial,
  PointLight, Points, PointsMaterial, SphereGeometry, Vector3,
} from "three";
import type { Light } from "./messages";

const REAL = 6;
export const LAMP = new Color("#ffd9a0");
const POWER = 95; // candela of a lamp of brightness 1, in the units of the stage

export class Lamps {
  readonly group = new Group();
  private readonly lights: PointLight[] = [];
  private readonly places: Vector3[];
  readonly power: number;
  readonly reach: number;

  constructor(told: Light) {
    this.places = told.lamps.map((p) => new Vector3(...p));
    this.power = POWER * told.brightness;
    this.reach = told.reach;
    if (this.places.length === 0) return;
    for (let k = 0; k < Math.min(REAL, this.places.length); k++) {
      const light = new PointLight(LAMP, 0, told.reach, 2);
      this.lights.push(light);
      this.group.add(light);
    }
    this.group.add(this.heads(), this.glow());
  }

  get count(): number {
    return this.places.length;
  }

  /** Lights that are real now, for tests. */
  get lit(): number {
    return this.lights.filter((light) => light.intensity > 0).length;
  }

  /** The lamps nearest to a point are lights. */
  near(eye: Vector3): void {
    if (this.lights.length === 0) return;
    const ways = this.places.map((place, k) => ({ k, d: place.distanceTo(eye) })).sort((a, b) => a.d - b.d);
    const last = ways[Math.min(REAL, ways.length - 1)].d; // of the first that is none
    const all = ways.length <= REAL;
    this.lights.forEach((light, i) => {
      const { k, d } = ways[i];
      light.position.copy(this.places[k]);
      light.intensity = this.power * (all ? 1 : Math.min(1, Math.max(0, (last - d) / (0.3 * last + 1e-6))));
    });
  }

  /** What lamps give to corners with normals, as a share of light: sum of  power (n . l) / d^2, gone at the reach. */
  onto(points: Float32Array, normals: Int16Array): Float32Array {
    const n = points.length / 3;
    const made = new Float32Array(n);
    const cell = this.reach;
    const grid = new Map<string, Vector3[]>();
    for (const p of this.places) {
      const [i, j] = [Math.floor(p.x / cell), Math.floor(p.y / cell)];
      for (let a = -1; a <= 1; a++) for (let b = -1; b <= 1; b++) {
        const key = `${i + a},${j + b}`;
        const own = grid.get(key);
        if (own) own.push(p);
        else grid.set(key, [p]);
      }
    }
    let at = [NaN, NaN];
    let near: Vector3[] = [];
    for (let v = 0; v < n; v++) {
      const x = points[3 * v], y = points[3 * v + 1], z = points[3 * v + 2];
      const i = Math.floor(x / cell), j = Math.floor(y / cell);
      if (i !== at[0] || j !== at[1]) {
        at = [i, j];
        near = grid.get(`${i},${j}`) ?? [];
      }
      for (const p of near) {
        const dx = p.x - x, dy = p.y - y, dz = p.z - z;
        const d2 = dx * dx + dy * dy + dz * dz + 0.25;
        const share = d2 / (this.reach * this.reach);
        if (share >= 1) continue;
        const along = (dx * normals[4 * v] + dy * normals[4 * v + 1] + dz * normals[4 * v + 2]) / (32767 * Math.sqrt(d2));
        const window = (1 - share * share) * (1 - share * share);
        made[v] += (this.power * Math.max(0.12 * Math.abs(along), along) * window) / d2; // some comes through or around
      }
    }
    return made;
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const light of this.lights) light.dispose();
  }

  private heads(): InstancedMesh {
    const made = new InstancedMesh(new SphereGeometry(0.18, 10, 6), new MeshBasicMaterial({ color: "#fff3d6" }), this.places.length);
    this.places.forEach((place, k) => made.setMatrixAt(k, new Matrix4().setPosition(place)));
    made.frustumCulled = false;
    return made;
  }

  private glow(): Points {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(Float32Array.from(this.places.flatMap((p) => p.toArray())), 3));
    const material = new PointsMaterial({
      map: halo(), size: 5, transparent: true, blending: AdditiveBlending, depthWrite: false, color: "#ffcf8a", opacity: 0.75,
    });
    const made = new Points(geometry, material);
    made.frustumCulled = false;
    made.renderOrder = 2;
    return made;
  }
}

function halo(): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d") as CanvasRenderingContext2D;
  const shade = pen.createRadialGradient(32, 32, 0, 32, 32, 32);
  shade.addColorStop(0, "rgba(255,240,215,0.9)");
  shade.addColorStop(0.15, "rgba(255,220,170,0.35)");
  shade.addColorStop(0.5, "rgba(255,200,140,0.07)");
  shade.addColorStop(1, "rgba(255,190,120,0)");
  pen.fillStyle = shade;
  pen.fillRect(0, 0, 64, 64);
  return new CanvasTexture(canvas);
}
