// Signs on a model: axes of joints, frames of bodies, centres of mass, contacts with their forces.
import { Color, Group, Quaternion, Vector3 } from "three";
import { type Frame, ROW } from "./frame";
import { arrow, dot, Glyphs } from "./glyphs";
import type { Scene } from "./messages";
import type { PlainLight } from "./plain";

export type Sign = "joints" | "frames" | "com" | "contacts";

const linear = (text: string): number[] => new Color(text).toArray();
const AXES = [linear("#d43a3a"), linear("#2f9e4f"), linear("#2f6fd6")]; // x red, y green, z blue
const FORCE = linear("#e8590c");
const POINT = linear("#7a2f00");
const MASS = linear("#f2c230");
const FADES = 0.95; // of the largest force, from frame to frame
export const CONTACTS = 1;

interface Triad {
  node: number;
  at: readonly number[];
  rotation: readonly number[];
}

export class Signs {
  readonly group = new Group();
  private readonly on = new Set<Sign>();
  private readonly arrows: Record<"joints" | "frames" | "contacts", Glyphs>;
  private readonly dots: Record<"com" | "contacts", Glyphs>;
  private largest = 0;
  private frame: Frame | null = null;
  size = 1; // radius of the scene [m]
  private always = false; // axes of joints are made ready also where no layer shows them

  constructor(
    private readonly scene: Scene,
    light: PlainLight,
  ) {
    const put = (mesh: object) => this.group.add(mesh as never);
    this.arrows = {
      joints: new Glyphs(arrow, light, true, put),
      frames: new Glyphs(arrow, light, true, put),
      contacts: new Glyphs(arrow, light, true, put),
    };
    this.dots = { com: new Glyphs(dot, light, true, put), contacts: new Glyphs(dot, light, true, put) };
  }

  set(sign: Sign, on: boolean): void {
    if (on) this.on.add(sign);
    else this.on.delete(sign);
    if (this.frame) this.show(this.frame);
  }

  /** Make axes of joints ready for a picture that shows them whatever the layers say. */
  readyJoints(on: boolean): void {
    if (on === this.always) return;
    this.always = on;
    if (this.frame) this.show(this.frame);
  }

  /** Whether axes of joints are seen in the picture that is drawn next. */
  seeJoints(always: boolean): void {
    this.arrows.joints.see(always || this.on.has("joints"));
  }

  /** How many of each are drawn. */
  get counts(): Record<string, number> {
    const { joints, frames, contacts } = this.arrows;
    return {
      joints: joints.count / 3, frames: frames.count / 3, com: this.dots.com.count,
      contacts: this.dots.contacts.count, forces: contacts.count,
    };
  }

  show(frame: Frame): void {
    this.frame = frame;
    const { joints, nodes } = this.scene;
    const triads = joints.map((j) => ({ node: j.a, at: j.at_a, rotation: j.rotation_a }));
    this.triads(this.arrows.joints, this.on.has("joints") || this.always ? triads : [], 0.22, 1.3);
    const bodies = nodes.flatMap((n, node) => (n.what === "body" && !n.static ? [{ node, ...ORIGIN }] : []));
    this.triads(this.arrows.frames, this.on.has("frames") ? bodies : [], 0.16, 0.9);
    this.masses(frame);
    this.contacts(frame);
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const glyphs of [...Object.values(this.arrows), ...Object.values(this.dots)]) glyphs.dispose();
  }

  private triads(glyphs: Glyphs, triads: Triad[], share: number, width: number): void {
    glyphs.begin(3 * triads.length);
    const many = Math.max(1, Math.cbrt(triads.length / 12)); // smaller where there are many
    const length = (share * this.size) / many;
    triads.forEach(({ node, at, rotation }, i) => {
      pose(this.frame as Frame, node);
      p.set(at[0], at[1], at[2]).applyQuaternion(q).add(origin);
      r.set(rotation[1], rotation[2], rotation[3], rotation[0]).premultiply(q);
      for (let c = 0; c < 3; c++) {
        z.set(c === 0 ? 1 : 0, c === 1 ? 1 : 0, c === 2 ? 1 : 0).applyQuaternion(r);
        glyphs.set(3 * i + c, p, z, length, width * length, AXES[c]);
      }
    });
    glyphs.end();
  }

  private masses(frame: Frame): void {
    const rows = this.on.has("com") ? [...this.scene.nodes.keys()].filter((i) => this.scene.nodes[i].mass > 0) : [];
    const glyphs = this.dots.com;
    glyphs.begin(rows.length);
    const radius = (0.018 * this.size) / Math.max(1, Math.cbrt(rows.length / 12));
    rows.forEach((node, i) => {
      pose(frame, node);
      p.set(...this.scene.nodes[node].com).applyQuaternion(q).add(origin);
      glyphs.set(i, p, z.set(0, 0, 1), radius, radius, MASS);
    });
    glyphs.end();
  }

  private contacts(frame: Frame): void {
    const section = this.on.has("contacts") ? frame.sections.find((s) => s.kind === CONTACTS) : undefined;
    const table = section ? new Float32Array(frame.data, section.start, section.length / 4) : new Float32Array(0);
    const count = table.length / 6;
    let most = FADES * this.largest;
    for (let i = 0; i < count; i++) most = Math.max(most, Math.hypot(table[6 * i + 3], table[6 * i + 4], table[6 * i + 5]));
    this.largest = most;
    const { contacts: arrows } = this.arrows;
    const dots = this.dots.contacts;
    arrows.begin(count);
    dots.begin(count);
    const many = Math.max(1, Math.cbrt(count / 40));
    const longest = (0.45 * this.size) / many, radius = (0.010 * this.size) / many;
    for (let i = 0; i < count; i++) {
      const k = 6 * i;
      p.set(table[k], table[k + 1], table[k + 2]);
      z.set(table[k + 3], table[k + 4], table[k + 5]);
      const force = z.length();
      if (force > 0) z.divideScalar(force);
      else z.set(0, 0, 1);
      const length = most > 0 ? (longest * force) / most : 0;
      arrows.set(i, p, z, length, Math.min(0.6 * longest, 0.25 * longest + 0.5 * length), FORCE);
      dots.set(i, p, z, radius, radius, POINT);
    }
    arrows.end();
    dots.end();
  }
}

const ORIGIN = { at: [0, 0, 0], rotation: [1, 0, 0, 0] };
const p = new Vector3();
const z = new Vector3();
const origin = new Vector3();
const q = new Quaternion();
const r = new Quaternion();

function pose(frame: Frame, node: number): void {
  const k = ROW * node;
  const { poses } = frame;
  origin.set(poses[k], poses[k + 1], poses[k + 2]);
  q.set(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
}
