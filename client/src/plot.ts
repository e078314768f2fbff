// One chart: curves of one unit over time, drawn on a canvas. Zoom with the wheel, pan by dragging, double press to follow.

export interface Curve {
  name: string;
  colour: string;
  time: number[];
  value: (number | null)[];
}

/** What all charts share: which time is shown. Null: the last ``span`` seconds. */
export interface Window {
  span: number;
  end: number | null;
}

const LEFT = 58;
const RIGHT = 10;
const TOP = 8;
const BOTTOM = 22;

export class Chart {
  readonly canvas = document.createElement("canvas");
  private range: [number, number] | null = null; // of the values, null: all that is shown
  private shown: [number, number] = [0, 1];
  private dragging: { x: number; y: number } | null = null;

  constructor(
    readonly unit: string,
    private readonly window: Window,
    private readonly curves: () => Curve[],
    private readonly changed: () => void,
  ) {
    this.canvas.tabIndex = 0;
    this.canvas.className = "chart";
    this.canvas.setAttribute("role", "img");
    this.canvas.title = "wheel: zoom in time, with shift: in value; drag: pan; double press or 0: follow";
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => {
      this.dragging = { x: event.offsetX, y: event.offsetY };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => this.drag(event));
    this.canvas.addEventListener("pointerup", () => (this.dragging = null));
    this.canvas.addEventListener("dblclick", () => this.follow());
    this.canvas.addEventListener("keydown", (event) => this.key(event));
  }

  follow(): void {
    this.window.end = null;
    this.range = null;
    this.changed();
  }

  private get last(): number {
    return Math.max(0, ...this.curves().map((curve) => curve.time[curve.time.length - 1] ?? 0));
  }

  private get times(): [number, number] {
    const end = this.window.end ?? Math.max(this.last, this.window.span);
    return [end - this.window.span, end];
  }

  private get width(): number {
    return Math.max(40, this.canvas.clientWidth - LEFT - RIGHT);
  }

  private get height(): number {
    return Math.max(30, this.canvas.clientHeight - TOP - BOTTOM);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const factor = Math.exp(0.0015 * (event.deltaY || event.deltaX));
    if (event.shiftKey) this.zoomValue(factor, 1 - (event.offsetY - TOP) / this.height);
    else this.zoomTime(factor, (event.offsetX - LEFT) / this.width);
  }

  private zoomTime(factor: number, share: number): void {
    const [from, to] = this.times;
    const at = from + Math.min(1, Math.max(0, share)) * (to - from);
    const span = Math.min(1e6, Math.max(1e-4, this.window.span * factor));
    if (this.window.end !== null || share < 0.95) this.window.end = at + (to - at) * (span / this.window.span);
    this.window.span = span;
    this.changed();
  }

  private zoomValue(factor: number, share: number): void {
    const [low, high] = this.shown;
    const at = low + share * (high - low);
    this.range = [at - (at - low) * factor, at + (high - at) * factor];
    this.changed();
  }

  private drag(event: PointerEvent): void {
    if (!this.dragging) return;
    const { x, y } = this.dragging;
    this.dragging = { x: event.offsetX, y: event.offsetY };
    this.pan(-(event.offsetX - x) / this.width, event.shiftKey ? (event.offsetY - y) / this.height : 0);
  }

  private pan(time: number, value: number): void {
    if (time !== 0) this.window.end = this.times[1] + time * this.window.span;
    if (value !== 0) {
      const [low, high] = this.shown;
      this.range = [low + value * (high - low), high + value * (high - low)];
    }
    this.changed();
  }

  private key(event: KeyboardEvent): void {
    const act: Record<string, () => void> = {
      ArrowLeft: () => this.pan(-0.1, 0), ArrowRight: () => this.pan(0.1, 0),
      ArrowUp: () => this.pan(0, 0.1), ArrowDown: () => this.pan(0, -0.1),
      "+": () => this.zoomTime(0.8, 0.5), "-": () => this.zoomTime(1.25, 0.5), "0": () => this.follow(),
    };
    if (!act[event.key]) return;
    act[event.key]();
    event.preventDefault();
    event.stopPropagation();
  }

  draw(): void {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (w === 0 || h === 0) return;
    if (this.canvas.width !== Math.round(w * ratio) || this.canvas.height !== Math.round(h * ratio)) {
      this.canvas.width = Math.round(w * ratio);
      this.canvas.height = Math.round(h * ratio);
    }
    const pen = this.canvas.getContext("2d") as CanvasRenderingContext2D;
    const style = getComputedStyle(this.canvas);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, w, h);
    const [from, to] = this.times;
    this.shown = this.range ?? this.extent(from, to);
    const [low, high] = this.shown;
    const X = (t: number): number => LEFT + ((t - from) / (to - from)) * this.width;
    const Y = (v: number): number => TOP + (1 - (v - low) / (high - low)) * this.height;

    pen.font = "11px system-ui, sans-serif";
    pen.lineWidth = 1;
    pen.strokeStyle = style.getPropertyValue("--edge");
    pen.fillStyle = style.getPropertyValue("--soft");
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const v of ticks(low, high, this.height / 34)) {
      line(pen, LEFT, Y(v), w - RIGHT, Y(v));
      pen.fillText(shortest(v, high - low), LEFT - 6, Y(v));
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const t of ticks(from, to, this.width / 70)) {
      line(pen, X(t), TOP, X(t), h - BOTTOM);
      pen.fillText(`${shortest(t, to - from)} s`, Math.min(X(t), w - RIGHT - 8), h - BOTTOM + 5);
    }
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, TOP, this.width, this.height);
    pen.clip();
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    for (const curve of this.curves()) this.stroke(pen, curve, from, to, X, Y);
    pen.restore();
    const said = this.curves().map((c) => `${c.name} ${last(c)} ${this.unit}`);
    this.canvas.setAttribute("aria-label", `chart of ${said.join(", ")}`);
  }

  /** A curve; where there are more samples than pixels, the least and the most of every pixel. */
  private stroke(
    pen: CanvasRenderingContext2D, curve: Curve, from: number, to: number,
    X: (t: number) => number, Y: (v: number) => number,
  ): void {
    const { time, value } = curve;
    const first = Math.max(0, lowerBound(time, from) - 1);
    const end = Math.min(time.length, lowerBound(time, to) + 2);
    const many = end - first > 3 * this.width;
    pen.strokeStyle = curve.colour;
    pen.beginPath();
    let down = false;
    for (let k = first; k < end; ) {
      const v = value[k];
      if (v === null) {
        down = false;
        k += 1;
        continue;
      }
      const x = X(time[k]);
      let least = v;
      let most = v;
      let next = k + 1;
      if (many) {
        for (const column = Math.floor(x); next < end && Math.floor(X(time[next])) === column; next++) {
          const other = value[next];
          if (other === null) break;
          least = Math.min(least, other);
          most = Math.max(most, other);
        }
      }
      if (down) pen.lineTo(x, Y(v));
      else pen.moveTo(x, Y(v));
      down = true;
      if (most > least) {
        pen.lineTo(x, Y(least));
        pen.lineTo(x, Y(most));
      }
      k = next;
    }
    pen.stroke();
  }

  private extent(from: number, to: number): [number, number] {
    let low = Infinity;
    let high = -Infinity;
    for (const { time, value } of this.curves()) {
      const end = lowerBound(time, to);
      for (let k = lowerBound(time, from); k < end; k++) {
        const v = value[k];
        if (v !== null && v < low) low = v;
        if (v !== null && v > high) high = v;
      }
    }
    if (low > high) return [-1, 1];
    const room = 0.06 * (high - low) || 0.05 * Math.abs(high) || 1;
    return [low - room, high + room];
  }
}

export function last(curve: Curve): string {
  const v = curve.value[curve.value.length - 1];
  return v === undefined || v === null ? "–" : Math.abs(v) < 5e-12 ? "0" : String(Number(v.toPrecision(4)));
}

function line(pen: CanvasRenderingContext2D, x: number, y: number, u: number, v: number): void {
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(u, v);
  pen.stroke();
}

/** Round numbers between two, about so many. */
export function ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / Math.max(1, count);
  if (!(raw > 0) || !Number.isFinite(raw)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((k) => k * power >= raw) ?? 10);
  const made: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high && made.length < 50; k++) made.push(k * step);
  return made;
}

function shortest(value: number, range: number): string {
  if (Math.abs(value) < 1e-9 * range) return "0";
  const digits = Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(range))));
  return Math.abs(value) >= 1e5 || range < 1e-5 ? value.toPrecision(3) : String(Number(value.toFixed(digits)));
}

/** First place in sorted numbers that is not less. */
function lowerBound(sorted: number[], least: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
