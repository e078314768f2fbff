// Trails of a replay: where everything went, from the start to now.
import { BufferAttribute, BufferGeometry, Color, Group, Line, LineBasicMaterial } from "three";
import type { Trails } from "./messages";
import type { Stage } from "./stage";

interface Drawn {
  line: Line;
  times: Float32Array;
}

export class RunTrails {
  readonly group = new Group();
  private drawn: Drawn[] = [];

  constructor(private readonly stage: Stage) {
    this.group.visible = false;
    stage.space.add(this.group);
  }

  get count(): number {
    return this.drawn.length;
  }

  /** Points that are drawn now, of all trails. */
  get points(): number {
    return this.group.visible ? this.drawn.reduce((sum, { line }) => sum + line.geometry.drawRange.count, 0) : 0;
  }

  set(told: Trails): void {
    for (const { line } of this.drawn) {
      line.geometry.dispose();
      (line.material as LineBasicMaterial).dispose();
    }
    this.group.clear();
    this.drawn = told.trails.map(({ times, points, colour, ghost }) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(numbers(points), 3));
      const material = new LineBasicMaterial({
        color: new Color().setRGB(...colour, "srgb"), transparent: true, opacity: ghost > 0 ? 0.6 : 0.9,
      });
      const line = new Line(geometry, material);
      line.frustumCulled = false;
      this.group.add(line);
      return { line, times: numbers(times) };
    });
  }

  /** Draw them up to a time [s]. */
  at(time: number): void {
    if (!this.group.visible) return;
    for (const { line, times } of this.drawn) line.geometry.setDrawRange(0, after(times, time));
  }

  turn(on: boolean, time: number): void {
    this.group.visible = on;
    this.at(time);
    this.stage.refresh();
  }
}

/** How many times are not later than one. */
function after(times: Float32Array, time: number): number {
  let low = 0;
  let high = times.length;
  const late = time + 1e-6 * Math.max(1, Math.abs(time)); // they are rounded
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= late) low = middle + 1;
    else high = middle;
  }
  return low;
}

function numbers(text: string): Float32Array {
  return new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
}
