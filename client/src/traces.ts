// Lines that contacts have drawn on the ground, for a whole run; in a replay up to now.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Group, LineBasicMaterial, LineSegments } from "three";
import { bytes } from "./surfaces";
import type { FromPage, Traces as Told, TracePart } from "./messages";

const FIRST = 1024; // points that there is room for at first

class Trace {
  readonly line: LineSegments;
  epoch = -1;
  count = 0;
  private segments = 0;
  private lifted = true;
  private points = new Float32Array(3 * FIRST);
  private times = new Float32Array(FIRST);
  private index = new Uint32Array(2 * FIRST);
  private readonly ends: number[] = []; // of each segment, its later point

  constructor(colour: [number, number, number]) {
    const material = new LineBasicMaterial({ color: new Color().setRGB(...colour, "srgb"), transparent: true, opacity: 0.75, depthWrite: false });
    material.onBeforeCompile = (shader) => {
      // on the ground and not in it
      shader.vertexShader = shader.vertexShader.replace("#include <project_vertex>", "#include <project_vertex>\ngl_Position.z -= 0.0006 * gl_Position.w / max(1.0, 0.1 * gl_Position.w);");
    };
    this.line = new LineSegments(new BufferGeometry(), material);
    this.line.frustumCulled = false;
    this.line.renderOrder = 2;
    this.fresh();
  }

  /** Take points on; returns false where some are missing. */
  add(part: TracePart): boolean {
    if (part.epoch !== this.epoch) {
      if (part.first !== 0) return false;
      this.epoch = part.epoch;
      this.count = this.segments = 0;
      this.ends.length = 0;
      this.lifted = true;
    }
    if (part.first > this.count) return false;
    const times = new Float32Array(bytes(part.times));
    const points = new Float32Array(bytes(part.points));
    const grown = part.first + times.length > this.times.length;
    if (grown) this.grow(part.first + times.length);
    for (let i = Math.max(0, this.count - part.first); i < times.length; i++) {
      const k = part.first + i;
      this.times[k] = times[i];
      const up = Number.isNaN(points[3 * i]); // the pen is lifted: a place that no line goes to
      if (!up) this.points.set(points.subarray(3 * i, 3 * i + 3), 3 * k);
      else if (k > 0) this.points.copyWithin(3 * k, 3 * k - 3, 3 * k);
      const goesOn = !up && !this.lifted && k > 0;
      this.lifted = up;
      if (goesOn) {
        this.index[2 * this.segments] = k - 1;
        this.index[2 * this.segments + 1] = k;
        this.ends.push(k);
        this.segments += 1;
      }
      this.count = k + 1;
    }
    if (grown) this.fresh();
    const { position } = this.line.geometry.attributes;
    position.needsUpdate = true;
    (this.line.geometry.index as BufferAttribute).needsUpdate = true;
    return true;
  }

  /** Draw it up to a time [s]. */
  upTo(time: number): void {
    let low = 0;
    let high = this.segments;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[this.ends[middle]] <= time + 1e-4) low = middle + 1;
      else high = middle;
    }
    this.line.geometry.setDrawRange(0, 2 * low);
  }

  get drawn(): number {
    return this.line.geometry.drawRange.count / 2;
  }

  dispose(): void {
    this.line.removeFromParent();
    this.line.geometry.dispose();
    (this.line.material as LineBasicMaterial).dispose();
  }

  private grow(least: number): void {
    const room = 2 ** Math.ceil(Math.log2(least + 1));
    const longer = <T extends Float32Array | Uint32Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    this.points = longer(new Float32Array(3 * room), this.points);
    this.times = longer(new Float32Array(room), this.times);
    this.index = longer(new Uint32Array(2 * room), this.index);
  }

  private fresh(): void {
    this.line.geometry.dispose();
    this.line.geometry.setAttribute("position", new BufferAttribute(this.points, 3).setUsage(DynamicDrawUsage));
    this.line.geometry.setIndex(new BufferAttribute(this.index, 1).setUsage(DynamicDrawUsage));
  }
}

export class Traces {
  readonly group = new Group();
  private readonly all = new Map<string, Trace>();
  private time = 0;
  private asked = -Infinity; // when [ms]

  constructor(private readonly send: (message: FromPage) => void) {}

  /** Segments of all of them that are drawn. */
  get segments(): number {
    return [...this.all.values()].reduce((sum, trace) => sum + trace.drawn, 0);
  }

  /** All of them, from their beginnings; not again within a moment. */
  ask(): void {
    const now = performance.now();
    if (now - this.asked < 500) return;
    this.asked = now;
    this.send({ kind: "ask_traces" });
  }

  add(told: Told): void {
    for (const part of told.parts) {
      let trace = this.all.get(part.name);
      if (!trace) {
        trace = new Trace(part.colour);
        this.all.set(part.name, trace);
        this.group.add(trace.line);
      }
      if (!trace.add(part)) this.ask();
      trace.upTo(this.time);
    }
  }

  at(time: number): void {
    this.time = time;
    for (const trace of this.all.values()) trace.upTo(time);
  }
}
