// What a driver sees over the picture: speed, clock, splits, forces, steering, words; and the page that shows nothing else.
import "./hud.css";
import { make } from "./dom";
import type { Hud } from "./messages";

const MOST_G = 6; // at the edge of the dial

export class Overlay {
  private readonly words = make("p", { id: "hud-words", role: "status" });
  private readonly speed = make("output", { id: "hud-speed" });
  private readonly clock = make("output", { id: "hud-clock" });
  private readonly splits = make("table", { id: "hud-splits" });
  private readonly dot = make("i");
  private readonly load = make("output");
  private readonly dial = make("div", { id: "hud-g", "aria-label": "forces" }, make("b"), this.dot, this.load);
  private readonly note = make("p", { id: "hud-note", role: "status" });
  private readonly needle = make("i");
  private readonly wheel = make("div", { id: "hud-wheel", "aria-label": "steering" }, this.needle);
  private readonly box = make("section", { id: "hud", hidden: true, "aria-label": "instruments of the driver" });
  private said = -1;
  private hide = 0;
  private asked = false;

  constructor() {
    const unit = make("span", {}, "km/h");
    this.box.append(
      this.words,
      this.note,
      make("div", { id: "hud-left" }, this.clock, this.splits),
      make("div", { id: "hud-right" }, this.dial, make("div", { id: "hud-pace" }, this.speed, unit)),
      this.wheel,
    );
    document.body.append(this.box);
    window.addEventListener("keydown", (event) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
      if (event.key === "Escape" && this.driving) this.drive(false);
      else if (event.key === "h") this.drive(!this.driving);
    });
  }

  get driving(): boolean {
    return document.body.classList.contains("driving");
  }

  /** Put the panels away, or bring them back. */
  drive(on: boolean): void {
    document.body.classList.toggle("driving", on);
    window.dispatchEvent(new Event("resize")); // the picture has another middle
  }

  show(told: Hud): void {
    this.box.hidden = false;
    if (!this.asked) {
      this.asked = true;
      if (told.driving) this.drive(true);
    }
    put(this.speed, told.speed === null ? "" : String(Math.round(3.6 * told.speed)));
    (this.speed.parentElement as HTMLElement).hidden = told.speed === null;
    put(this.clock, told.clock === null ? "" : clockOf(told.clock));
    this.splits.replaceChildren(
      ...told.splits.map(({ name, time, behind }) => {
        const mark = behind === null ? "" : `${behind >= 0 ? "+" : "−"}${Math.abs(behind).toFixed(2)}`;
        const kind = behind === null ? "" : behind > 0 ? "behind" : "ahead";
        return make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, time.toFixed(2)), make("td", { class: kind }, mark));
      }),
    );
    this.dial.hidden = told.g === null;
    if (told.g) {
      const [left, up] = told.g;
      const place = (x: number): string => `${(50 - (50 * Math.max(-MOST_G, Math.min(MOST_G, x))) / MOST_G).toFixed(1)}%`;
      this.dot.style.left = place(left);
      this.dot.style.top = place(up);
      put(this.load, `${Math.hypot(...told.g).toFixed(1)} g`);
    }
    put(this.note, told.note);
    this.wheel.hidden = told.steering === null;
    this.needle.style.left = `${50 - 50 * Math.max(-1, Math.min(1, told.steering ?? 0))}%`;
    if (told.number !== this.said) {
      this.said = told.number;
      put(this.words, told.words);
      this.words.classList.toggle("seen", told.words !== "");
      clearTimeout(this.hide);
      this.hide = window.setTimeout(() => this.words.classList.remove("seen"), 1000 * told.seconds);
    }
  }
}

function put(place: HTMLElement, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}

function clockOf(t: number): string {
  const minutes = Math.floor(t / 60);
  const rest = (t - 60 * minutes).toFixed(2);
  return minutes > 0 ? `${minutes}:${rest.padStart(5, "0")}` : rest;
}
