// The bar of time: play, pause, step, reset, speed, and whether the simulation keeps up.
import { make } from "./dom";
import { MOST_STEPS, type FromPage, type Status } from "./messages";

const SPEEDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class TimePanel {
  private readonly play = make("button", { id: "play", class: "main", type: "button" });
  private readonly step = make("button", { id: "step", type: "button", title: "step (.)" }, "Step");
  private readonly count = make("input", {
    id: "count", type: "number", min: 1, max: MOST_STEPS, value: 1, "aria-label": "steps at once",
  });
  private readonly reset = make("button", { id: "reset", type: "button", title: "reset (r)" }, "Reset");
  private readonly speed = make("select", { id: "speed", "aria-label": "speed" });
  private readonly time = make("output", { id: "time", "aria-label": "simulated time" }, "0.000 s");
  private readonly pace = make("output", { id: "pace", "aria-label": "real-time factor" });
  private readonly drive = make("button", { id: "drive", type: "button", hidden: true }, "Take the drive");
  private playing = false;

  constructor(
    place: HTMLElement,
    private readonly send: (message: FromPage) => void,
  ) {
    for (const factor of SPEEDS) this.speed.append(make("option", { value: factor }, `${factor}×`));
    this.speed.value = "1";
    place.append(
      make("div", { class: "group" }, this.play, this.step, this.count, this.reset),
      make("div", { class: "group" }, make("label", { for: "speed" }, "Speed"), this.speed),
      make("div", { class: "group read" }, this.time, this.pace),
      this.drive,
    );
    this.play.addEventListener("click", () => this.toggle());
    this.step.addEventListener("click", () => this.takeSteps());
    this.reset.addEventListener("click", () => send({ kind: "reset" }));
    this.drive.addEventListener("click", () => send({ kind: "take_drive" }));
    this.speed.addEventListener("change", () => send({ kind: "speed", factor: Number(this.speed.value) }));
    place.addEventListener("click", (event) => {
      if (event.detail > 0) (event.target as HTMLElement).closest("button")?.blur(); // then the space bar plays
    });
    window.addEventListener("keydown", (event) => this.key(event));
    this.label();
  }

  private toggle(): void {
    this.send({ kind: this.playing ? "pause" : "play" });
  }

  private takeSteps(): void {
    const n = Math.min(MOST_STEPS, Math.max(1, Math.round(Number(this.count.value)) || 1));
    this.count.value = String(n);
    this.send({ kind: "step", n });
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
    if (event.key === " " && target.tagName !== "BUTTON") this.toggle();
    else if (event.key === ".") this.takeSteps();
    else if (event.key === "r") this.send({ kind: "reset" });
    else return;
    event.preventDefault();
  }

  /** The time of a frame, which comes more often than a status. */
  at(time: number): void {
    this.time.value = `${time.toFixed(3)} s`;
  }

  show(status: Status, own: number): void {
    this.playing = status.run === "playing";
    const watching = status.driver !== own;
    for (const control of [this.play, this.step, this.count, this.reset, this.speed]) control.disabled = watching;
    this.drive.hidden = !watching;
    const option = [...this.speed.options].find((o) => Number(o.value) === status.speed);
    if (option) this.speed.value = option.value;
    else this.speed.append(make("option", { value: status.speed, selected: true }, `${status.speed}×`));
    const pace = status.factor.toFixed(2);
    const behind = status.behind && Math.abs(Number(pace)) < status.speed; // it may have caught up just now
    this.pace.classList.toggle("behind", behind);
    if (status.run === "playing") {
      const factor = `${pace}× real time`;
      this.pace.value = behind ? `cannot keep up: ${factor} of ${status.speed}×` : factor;
    } else this.pace.value = status.run;
    this.label();
  }

  private label(): void {
    const word = this.playing ? "Pause" : "Play";
    if (this.play.textContent === word) return;
    this.play.textContent = word;
    this.play.title = `${word.toLowerCase()} (space)`;
    this.play.classList.toggle("on", this.playing);
  }
}
