// The light around a scene: the even one of a workbench, the sun by the hour, or a night with lamps.
import { Color, type DirectionalLight, Fog, type HemisphereLight, type Scene as Space, Vector3 } from "three";
import type { Eye } from "./cameras";
import { Lamps } from "./lamps";
import type { Light } from "./messages";
import { DARK, LIGHT, SUN, type Tones } from "./sky";

export interface Shine {
  tones: Tones;
  sunColour: Color;
  above: Color;
  under: Color;
  toward: Vector3; // to the sun
  glow: number; // of the sun in the sky
  stars: number;
}

const SHADOWED = 42; // half the edge of what casts shadows around the eye, in large scenes [m]

/** How far a number is from one to another, from 0 to 1, smoothly. */
function smooth(from: number, to: number, x: number): number {
  const t = Math.min(1, Math.max(0, (x - from) / (to - from)));
  return t * t * (3 - 2 * t);
}

function mix(a: string, b: string, t: number): string {
  return `#${new Color(a).lerp(new Color(b), t).getHexString()}`;
}

/** What a light looks like. */
export function shineOf(told: Light | null, dark: boolean): Shine {
  const bench = {
    tones: dark ? DARK : LIGHT, sunColour: new Color("#fffaf3"), above: new Color("#eef4ff"), under: new Color("#a3a3a3"),
    toward: SUN.clone(), glow: 0, stars: 0,
  };
  if (!told || told.mode === "workbench") return bench;
  const toward = new Vector3(...told.sun).normalize();
  if (told.mode === "night") {
    const tones = { zenith: "#03060d", horizon: "#0d1521", below: "#090e16", line: "#3a4a5c", sun: 0.22, sky: 0.34 };
    return { ...bench, tones, toward, sunColour: new Color("#a9bee6"), above: new Color("#9fb4da"), under: new Color("#5a6270"), stars: 1 };
  }
  const height = Math.asin(Math.min(1, toward.z)) * (180 / Math.PI);
  const day = smooth(-3, 22, height);
  const light = smooth(-5, 12, height);
  return {
    tones: {
      zenith: mix("#22375f", "#3f7fc9", day),
      horizon: mix(mix("#4a4f68", "#efb98c", light), "#d3e3f1", day),
      below: mix("#6f6a70", "#c4d2de", day),
      line: LIGHT.line,
      sun: 0.25 + light * (3.9 - 1.4 * smooth(30, 75, height)), // level snow is as bright at noon as in the morning
      sky: 0.6 + 1.5 * light,
    },
    sunColour: new Color("#ff8f4d").lerp(new Color("#fff4e2"), smooth(0, 28, height)),
    above: new Color("#8fa3cf").lerp(new Color("#bcd6f7"), day),
    under: new Color("#8d8782").lerp(new Color("#b9bec4"), day),
    toward, glow: light, stars: 0,
  };
}

export class Surroundings {
  told: Light | null = null;
  lamps: Lamps | null = null;
  private readonly fog = new Fog("#ffffff", 1, 1000);

  constructor(
    private readonly space: Space,
    private readonly sun: DirectionalLight,
    private readonly air: HemisphereLight,
  ) {}

  /** Whether there is a sky with a horizon, instead of a workbench. */
  get outside(): boolean {
    return this.told !== null && this.told.mode !== "workbench";
  }

  set(told: Light): void {
    this.told = told;
    this.lamps?.dispose();
    this.lamps = told.mode === "night" ? new Lamps(told) : null;
    if (this.lamps) this.space.add(this.lamps.group);
  }

  paint(shine: Shine): void {
    this.sun.color.copy(shine.sunColour);
    this.sun.intensity = shine.tones.sun;
    this.air.color.copy(shine.above);
    this.air.groundColor.copy(shine.under);
    this.air.intensity = shine.tones.sky;
    const haze = this.told?.haze ?? 0;
    this.space.fog = this.outside ? this.fog : null;
    this.fog.color.set(shine.tones.horizon);
    this.fog.near = 0.12 * haze;
    this.fog.far = haze;
  }

  /** Lamps and shadows go along with who looks; returns whether shadows do. */
  goAlong(eye: Eye, radius: number, toward: Vector3, large: boolean): boolean {
    if (!this.outside) return false;
    this.lamps?.near(eye.camera.position);
    eye.seeTo(1.3 * (this.told?.haze ?? 0));
    if (!large && radius < SHADOWED) return false;
    const reach = SHADOWED;
    const ahead = new Vector3();
    eye.camera.getWorldDirection(ahead);
    const middle = eye.camera.position.clone().addScaledVector(ahead, Math.min(0.7 * reach, Math.max(eye.distance, 0.45 * reach)));
    // in whole pixels of the shadow, so that its edges do not crawl
    const pixel = (2 * reach) / this.sun.shadow.mapSize.x;
    const right = new Vector3(0, 0, 1).cross(toward).normalize();
    if (right.lengthSq() < 0.5) right.set(1, 0, 0);
    const over = toward.clone().cross(right);
    const snap = (axis: Vector3): void => {
      const place = middle.dot(axis);
      middle.addScaledVector(axis, Math.round(place / pixel) * pixel - place);
    };
    snap(right);
    snap(over);
    this.sun.target.position.copy(middle);
    this.sun.position.copy(middle).addScaledVector(toward, 4 * reach);
    Object.assign(this.sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 1, far: 8 * reach });
    this.sun.shadow.camera.updateProjectionMatrix();
    this.sun.target.updateMatrixWorld();
    this.sun.shadow.normalBias = 0.12;
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.radius = 2;
    return true;
  }
}
