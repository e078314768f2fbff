// The bar of a replay: scrub through time, step by samples, backwards, over and over, trails, which run is which.
import { make } from "./dom";
import type { FromPage, Playback, Scene, Status } from "./messages";
import type { RunTrails } from "./run_trails";

const OWN = 800; // so long after a change of one's own, what comes from the simulation does not move a tick [ms]

export class ReplayPanel {
  private readonly slider = make("input", {
    id: "scrub", type: "range", min: 0, max: 1, step: "any", "aria-label": "time of the replay",
  });
  private readonly back = make("button", { id: "sample-back", type: "button", title: "a sample back (←)" }, "−1");
  private readonly on = make("button", { id: "sample-on", type: "button", title: "a sample on (→)" }, "+1");
  private latest: Playback | null = null;
  private changedAt = -1e9;
  private timer = 0;
  private readonly backwards = tick("backwards", "Backwards", "play from the end to the start");
  private readonly loop = tick("loop", "Loop", "begin again at the end");
  private readonly exact = tick("exact", "Samples only", "show recorded samples as they are, nothing between them");
  private readonly trails = tick("run-trails", "Trails", "where everything went");
  private readonly runs = make("div", { id: "runs", class: "group", "aria-label": "runs" });
  private readonly box: HTMLElement;
  private held = false;
  private asked: number | null = null;
  private time = 0;

  constructor(
    place: HTMLElement,
    private readonly send: (message: FromPage) => void,
    private readonly lines: RunTrails,
  ) {
    this.box = make(
      "div",
      { id: "replay", hidden: true },
      make("div", { class: "group" }, this.back, this.on),
      this.slider,
      make("div", { class: "group ticks" }, this.backwards.label, this.loop.label, this.exact.label, this.trails.label),
      this.runs,
    );
    place.prepend(this.box);
    this.back.addEventListener("click", () => send({ kind: "step_samples", n: -1 }));
    this.on.addEventListener("click", () => send({ kind: "step_samples", n: 1 }));
    this.slider.addEventListener("input", () => this.seek());
    this.slider.addEventListener("pointerdown", () => (this.held = true));
    window.addEventListener("pointerup", () => (this.held = false));
    for (const { box } of [this.backwards, this.loop, this.exact]) box.addEventListener("change", () => this.tell());
    this.trails.box.addEventListener("change", () => lines.turn(this.trails.box.checked, this.time));
    window.addEventListener("keydown", (event) => this.key(event));
  }

  setScene(scene: Scene): void {
    this.box.hidden = scene.duration === null;
    document.body.classList.toggle("replaying", scene.duration !== null);
  }

  show(playback: Playback, ghosts: Scene["ghosts"]): void {
    this.slider.min = String(playback.start);
    this.slider.max = String(playback.end);
    this.latest = playback;
    this.showTicks();
    if (this.runs.childElementCount !== playback.runs.length) {
      this.runs.replaceChildren(
        ...playback.runs.map((name, k) => {
          const mark = make("i", { class: "mark", "aria-hidden": "true" });
          if (k > 0) mark.style.background = `rgb(${ghosts[k - 1].colour.map((c) => Math.round(255 * c)).join(" ")})`;
          return make("span", { class: "run" }, mark, name);
        }),
      );
    }
  }

  /** As the simulation has them; a little later where a hand was at them, whose own change is still on the way. */
  private showTicks(): void {
    clearTimeout(this.timer);
    const wait = this.changedAt + OWN - performance.now();
    if (wait > 0) {
      this.timer = window.setTimeout(() => this.showTicks(), wait);
    } else if (this.latest) {
      this.backwards.box.checked = this.latest.backwards;
      this.loop.box.checked = this.latest.loop;
      this.exact.box.checked = this.latest.exact;
    }
  }

  watch(status: Status, own: number): void {
    const watching = status.driver !== own;
    const boxes = [this.backwards, this.loop, this.exact].map(({ box }) => box);
    for (const control of [this.slider, this.back, this.on, ...boxes]) control.disabled = watching;
  }

  at(time: number): void {
    this.time = time;
    this.lines.at(time);
    if (!this.held) this.slider.value = String(time);
  }

  /** At most one message a picture, however fast the slider moves. */
  private seek(): void {
    const first = this.asked === null;
    this.asked = Number(this.slider.value);
    if (!first) return;
    requestAnimationFrame(() => {
      if (this.asked !== null) this.send({ kind: "seek", t: this.asked });
      this.asked = null;
    });
  }

  private tell(): void {
    this.changedAt = performance.now();
    const [backwards, loop, exact] = [this.backwards, this.loop, this.exact].map(({ box }) => box.checked);
    this.send({ kind: "replaying", backwards, loop, exact });
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (this.box.hidden || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))
      return;
    if (event.key === "ArrowLeft" || event.key === ",") this.send({ kind: "step_samples", n: -1 });
    else if (event.key === "ArrowRight") this.send({ kind: "step_samples", n: 1 });
    else if (event.key === "Home") this.send({ kind: "seek", t: Number(this.slider.min) });
    else if (event.key === "End") this.send({ kind: "seek", t: Number(this.slider.max) });
    else return;
    event.preventDefault();
  }
}

function tick(id: string, text: string, title: string): { box: HTMLInputElement; label: HTMLLabelElement } {
  const box = make("input", { id, type: "checkbox" });
  return { box, label: make("label", { for: id, title }, box, text) };
}
