// Live plots: curves that were chosen in the explorer, one chart a unit, with a legend; kept here, sent on as CSV or PNG.
import { make } from "./dom";
import type { FromPage, Samples } from "./messages";
import { Chart, last, type Curve, type Window } from "./plot";

const COLOURS = ["#2f6fb0", "#d2691e", "#2e8b57", "#b03a6b", "#7a5bc0", "#8a7a1f", "#188a9a", "#a0522d"];
const MOST_CURVES = 32;
const MOST_SAMPLES = 60_000; // of a curve; then the older half goes
const SPAN = 10; // [s]

interface Plotted extends Curve {
  unit: string;
}

export class PlotsPanel {
  onChange: () => void = () => {};

  private readonly curves = new Map<string, Plotted>();
  private readonly charts = new Map<string, Chart>();
  private readonly window: Window = { span: SPAN, end: null };
  private readonly body = make("div", { class: "charts" });
  private readonly panel: HTMLElement;
  private legends = new Map<string, HTMLElement>();
  private dirty = false;

  constructor(
    place: HTMLElement,
    private readonly send: (message: FromPage) => void,
  ) {
    const act = (id: string, text: string, title: string, does: () => void): HTMLButtonElement => {
      const made = make("button", { id, type: "button", title }, text);
      made.addEventListener("click", does);
      return made;
    };
    const tools = make(
      "div", { class: "row" }, make("strong", {}, "Plots"), make("span", { class: "gap" }),
      act("plot-follow", "Follow", "show the newest again", () => this.follow()),
      act("plot-csv", "CSV", "save the curves as a table", () => save("plots.csv", new Blob([this.csv()], { type: "text/csv" }))),
      act("plot-png", "PNG", "save the picture", () => this.png()),
      act("plot-clear", "Close", "take all curves out", () => this.clear()),
    );
    this.panel = make("section", { id: "plots", class: "panel", hidden: true, "aria-label": "plots" }, tools, this.body);
    place.append(this.panel);
    new ResizeObserver(() => this.refresh()).observe(this.body);
  }

  has(name: string): boolean {
    return this.curves.has(name);
  }

  /** Samples of a curve, for tests. */
  count(name: string): number {
    return this.curves.get(name)?.time.length ?? 0;
  }

  toggle(name: string, unit: string): void {
    if (!this.curves.delete(name) && this.curves.size < MOST_CURVES) {
      const used = [...this.curves.values()].map((curve) => curve.colour);
      const colour = COLOURS.find((c) => !used.includes(c)) ?? COLOURS[this.curves.size % COLOURS.length];
      this.curves.set(name, { name, unit, colour, time: [], value: [] });
    }
    this.arrange();
    this.subscribe();
  }

  private clear(): void {
    this.curves.clear();
    this.arrange();
    this.subscribe();
  }

  private follow(): void {
    for (const chart of this.charts.values()) chart.follow();
  }

  /** Ask for the samples of all curves; also after the line was broken. */
  subscribe(): void {
    this.send({ kind: "subscribe", signals: [...this.curves.keys()] });
    this.onChange();
  }

  add(samples: Samples): void {
    for (const curve of this.curves.values()) {
      const values = samples.values[curve.name];
      if (!values) continue;
      if (curve.time.length > 0 && samples.time[0] < curve.time[curve.time.length - 1]) {
        curve.time = []; // it began anew
        curve.value = [];
      }
      for (let k = 0; k < values.length; k++) {
        if (samples.time[k] === curve.time[curve.time.length - 1]) continue;
        curve.time.push(samples.time[k]);
        curve.value.push(values[k]);
      }
      if (curve.time.length > MOST_SAMPLES) {
        curve.time.splice(0, MOST_SAMPLES / 2);
        curve.value.splice(0, MOST_SAMPLES / 2);
      }
    }
    this.refresh();
  }

  /** One chart a unit, in the order in which the units came. */
  private arrange(): void {
    const units = [...new Set([...this.curves.values()].map((curve) => curve.unit))];
    this.charts.clear();
    this.legends = new Map();
    this.body.replaceChildren(
      ...units.map((unit) => {
        const own = (): Plotted[] => [...this.curves.values()].filter((curve) => curve.unit === unit);
        const chart = new Chart(unit, this.window, own, () => this.refresh());
        this.charts.set(unit, chart);
        const legend = make("div", { class: "legend" }, make("span", { class: "unit" }, unit ? `[${unit}]` : "[1]"));
        for (const curve of own()) legend.append(this.legend(curve));
        return make("div", { class: "plot" }, legend, chart.canvas);
      }),
    );
    this.panel.hidden = units.length === 0;
    this.refresh();
  }

  private legend(curve: Plotted): HTMLElement {
    const value = make("span", { class: "now" });
    this.legends.set(curve.name, value);
    const off = make("button", { type: "button", class: "off", "aria-label": `take ${curve.name} out`, title: "take it out" }, "×");
    off.addEventListener("click", () => this.toggle(curve.name, curve.unit));
    const mark = make("i", { style: `background:${curve.colour}` });
    return make("span", { class: "curve" }, mark, curve.name, value, off);
  }

  private refresh(): void {
    if (this.dirty || this.panel.hidden) return;
    this.dirty = true;
    requestAnimationFrame(() => {
      this.dirty = false;
      for (const chart of this.charts.values()) chart.draw();
      for (const curve of this.curves.values()) {
        const shown = this.legends.get(curve.name);
        if (shown) shown.textContent = last(curve);
      }
    });
  }

  /** All curves as one table; curves that began later have empty places. */
  csv(): string {
    const curves = [...this.curves.values()];
    const rows = new Map<number, (number | null | "")[]>();
    curves.forEach((curve, k) => {
      curve.time.forEach((t, i) => {
        let row = rows.get(t);
        if (!row) rows.set(t, (row = new Array<"">(curves.length).fill("")));
        row[k] = curve.value[i];
      });
    });
    const head = ["time [s]", ...curves.map((c) => c.name + (c.unit ? ` [${c.unit}]` : ""))].map(quoted).join(",");
    const lines = [...rows].sort((a, b) => a[0] - b[0]).map(([t, row]) => [t, ...row.map((v) => v ?? "")].join(","));
    return [head, ...lines].join("\n") + "\n";
  }

  private png(): void {
    const charts = [...this.charts.values()];
    const sheet = document.createElement("canvas");
    const ratio = window.devicePixelRatio || 1;
    const head = 22 * ratio;
    sheet.width = Math.max(...charts.map((chart) => chart.canvas.width));
    sheet.height = charts.reduce((sum, chart) => sum + chart.canvas.height + head, 0);
    const pen = sheet.getContext("2d") as CanvasRenderingContext2D;
    pen.fillStyle = matchMedia("(prefers-color-scheme: dark)").matches ? "#16202a" : "#ffffff";
    pen.fillRect(0, 0, sheet.width, sheet.height);
    pen.font = `${12 * ratio}px system-ui, sans-serif`;
    let y = 0;
    for (const chart of charts) {
      let x = 8 * ratio;
      for (const curve of this.curves.values()) {
        if (curve.unit !== chart.unit) continue;
        const text = curve.name + (curve.unit ? ` [${curve.unit}]` : "");
        pen.fillStyle = curve.colour;
        pen.fillText(text, x, y + 15 * ratio);
        x += pen.measureText(text).width + 14 * ratio;
      }
      pen.drawImage(chart.canvas, 0, y + head);
      y += chart.canvas.height + head;
    }
    sheet.toBlob((blob) => blob && save("plots.png", blob));
  }
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function save(name: string, blob: Blob): void {
  const link = make("a", { download: name, href: URL.createObjectURL(blob) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
