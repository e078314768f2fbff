// Trails: where bodies have been during the last seconds, fading with age.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Group, Line, LineBasicMaterial } from "three";
import { type Frame, ROW } from "./frame";
import type { Scene } from "./messages";

const MOST = 2000; // points a trail
const COLOURS = ["#d9480f", "#1971c2", "#2f9e44", "#9c36b5", "#e67700"];

class Trail {
  readonly line: Line;
  private times: number[] = [];
  private points: number[] = [];

  constructor(colour: string) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * MOST), 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(4 * MOST), 4).setUsage(DynamicDrawUsage));
    this.line = new Line(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true }));
    this.line.frustumCulled = false;
    this.line.renderOrder = 3;
    this.shade = new Color(colour);
  }

  private readonly shade: Color;

  get length(): number {
    return this.times.length;
  }

  add(time: number, x: number, y: number, z: number, seconds: number): void {
    if (this.times.length > 0 && time < this.times[this.times.length - 1]) this.times = [];
    if (this.times.length === 0) this.points = [];
    if (this.times[this.times.length - 1] !== time) {
      this.times.push(time);
      this.points.push(x, y, z);
    }
    const first = this.times.findIndex((t) => t >= time - seconds);
    const drop = Math.max(first, this.times.length - MOST, 0);
    this.times.splice(0, drop);
    this.points.splice(0, 3 * drop);
    const position = this.line.geometry.getAttribute("position") as BufferAttribute;
    const colour = this.line.geometry.getAttribute("color") as BufferAttribute;
    position.array.set(this.points);
    const { r, g, b } = this.shade;
    this.times.forEach((t, i) => colour.setXYZW(i, r, g, b, 1 - (time - t) / seconds));
    position.needsUpdate = colour.needsUpdate = true;
    this.line.geometry.setDrawRange(0, this.times.length);
  }

  dispose(): void {
    this.line.removeFromParent();
    this.line.geometry.dispose();
    (this.line.material as LineBasicMaterial).dispose();
  }
}

export class Trails {
  readonly group = new Group();
  seconds = 3;
  private readonly trails = new Map<string, Trail>();

  /** Leave trails of these bodies alone. */
  choose(names: string[]): void {
    for (const [name, trail] of this.trails) {
      if (names.includes(name)) continue;
      trail.dispose();
      this.trails.delete(name);
    }
    names.forEach((name) => {
      if (this.trails.has(name)) return;
      const trail = new Trail(COLOURS[this.trails.size % COLOURS.length]);
      this.trails.set(name, trail);
      this.group.add(trail.line);
    });
  }

  get names(): string[] {
    return [...this.trails.keys()];
  }

  /** Points of each trail. */
  get counts(): Record<string, number> {
    return Object.fromEntries([...this.trails].map(([name, trail]) => [name, trail.length]));
  }

  show(scene: Scene, frame: Frame): void {
    for (const [name, trail] of this.trails) {
      const k = ROW * scene.nodes.findIndex((node) => node.name === name);
      if (k >= 0) trail.add(frame.time, frame.poses[k], frame.poses[k + 1], frame.poses[k + 2], this.seconds);
    }
  }
}
