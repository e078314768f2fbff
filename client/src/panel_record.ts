// Record to a run file, and take pictures home.
import { images, MOST_IMAGES, picture, save, Video, videoKind } from "./capture";
import { make } from "./dom";
import type { FromPage, Recorded, Recording, Scene, Status } from "./messages";
import { note } from "./notes";
import type { Stage } from "./stage";

const INTERVALS: [string, number][] = [["1/240 s", 1 / 240], ["1/120 s", 1 / 120], ["1/60 s", 1 / 60], ["1/30 s", 1 / 30], ["0.1 s", 0.1], ["1 s", 1]];

export class RecordPanel {
  private readonly record = make("button", { id: "record", type: "button", title: "record to a run file (R)" }, "Record");
  private readonly every = make("select", { id: "record-every", "aria-label": "time between samples" });
  private readonly file = make("output", { id: "recorded", "aria-label": "run file" });
  private readonly png = make("button", { id: "png", type: "button", title: "save the picture (P)" }, "Picture");
  private readonly film = make("button", { id: "video", type: "button" }, "Video");
  private readonly shots = make("button", { id: "images", type: "button", title: "pictures at fixed times, as a zip file" }, "Images");
  private readonly gap = number("images-every", "simulated time between images [s]", "0.04");
  private readonly count = number("images-count", "how many images", "25");
  private readonly state = make("output", { id: "export-state", "aria-label": "export" });
  private readonly samples: HTMLElement;
  private readonly kind = videoKind();
  private scene: Scene | null = null;
  private status: Status | null = null;
  private on = false;
  private watching = false;
  private video: Video | null = null;
  private busy = false;
  private stopping = false;

  constructor(
    place: HTMLElement,
    private readonly stage: Stage,
    private readonly send: (message: FromPage) => void,
  ) {
    this.every.append(make("option", { value: "step" }, "every step"));
    for (const [text, value] of INTERVALS) this.every.append(make("option", { value, selected: text === "1/60 s" }, text));
    this.samples = make("div", { class: "row" }, this.record, make("label", { for: "record-every" }, "samples"), this.every);
    place.append(
      make(
        "details",
        { id: "recording", class: "panel" },
        make("summary", {}, "Record and export"),
        this.samples,
        this.file,
        make("div", { class: "row" }, this.png, this.film),
        make("div", { class: "row" }, this.shots, this.count, make("label", {}, "every"), this.gap, "s"),
        this.state,
      ),
    );
    this.film.disabled = this.kind === null;
    this.film.title = this.kind
      ? `a video of what is seen, in real time (${this.kind.split(";")[0].split("/")[1]})`
      : "this browser records no video: take images and join them with a program for videos";
    this.record.addEventListener("click", () => this.toggle());
    this.png.addEventListener("click", () => void this.takePicture());
    this.film.addEventListener("click", () => void this.takeVideo());
    this.shots.addEventListener("click", () => void this.takeImages());
    window.addEventListener("keydown", (event) => this.key(event));
  }

  setScene(scene: Scene): void {
    this.scene = scene;
    this.samples.hidden = this.file.hidden = scene.duration !== null;
  }

  watch(status: Status, own: number): void {
    this.status = status;
    this.watching = status.driver !== own;
    for (const control of [this.record, this.every, this.gap, this.count]) control.disabled = this.watching;
    this.shots.disabled = this.watching && !this.busy;
  }

  show(recording: Recording): void {
    this.on = recording.on;
    this.record.textContent = recording.on ? "Stop" : "Record";
    this.record.classList.toggle("live", recording.on);
    document.body.classList.toggle("recording", recording.on);
    if (recording.on) this.file.value = `${recording.file} · ${size(recording.bytes)} · ${recording.samples} samples`;
  }

  done(recorded: Recorded): void {
    const why = recorded.why ? ` (ended: ${recorded.why})` : "";
    this.file.value = `${recorded.file} · ${size(recorded.bytes)} · ${recorded.samples} samples${why}`;
    note(`recorded to ${recorded.file}${why}`);
  }

  private toggle(): void {
    if (this.on) this.send({ kind: "record", on: false });
    else this.send({ kind: "record", on: true, interval: this.every.value === "step" ? this.scene?.h : Number(this.every.value) });
  }

  private get name(): string {
    return (this.scene?.name || "gelenk").replace(/[^A-Za-z0-9_-]+/g, "_");
  }

  private async takePicture(): Promise<void> {
    save(await picture(this.stage), `${this.name}-${(this.status?.time ?? 0).toFixed(3)}s.png`);
  }

  private async takeVideo(): Promise<void> {
    if (this.kind === null) return;
    if (this.video === null) {
      this.stage.quality.sharpen(false); // in real time
      this.stage.quality.fixed = true; // a video has one size
      this.video = new Video(this.stage, this.kind);
      this.film.textContent = "End video";
      this.film.classList.add("live");
      return;
    }
    const video = this.video;
    this.video = null;
    this.stage.quality.fixed = this.busy;
    this.stage.refresh();
    this.film.textContent = "Video";
    this.film.classList.remove("live");
    save(await video.stop(), `${this.name}.${video.suffix}`);
  }

  private async takeImages(): Promise<void> {
    if (this.busy) {
      this.stopping = true;
      return;
    }
    const every = Number(this.gap.value);
    const count = Math.round(Number(this.count.value));
    if (!this.scene || !(every > 0) || !(count >= 1 && count <= MOST_IMAGES)) {
      note(`Images: the time between them is more than 0, and there are 1 to ${MOST_IMAGES}.`);
      return;
    }
    this.busy = true;
    this.stage.quality.sharpen(true);
    this.stage.quality.fixed = true; // all of one size
    this.stopping = false;
    this.shots.textContent = "Stop images";
    try {
      const made = await images(this.stage, {
        scene: this.scene, status: () => this.status, send: this.send, every, count,
        told: (done) => (this.state.value = `${done} of ${count} images`),
        stopped: () => this.stopping || this.watching,
      });
      save(made, `${this.name}-images.zip`);
    } catch (error) {
      note(`Images: ${String(error)}`);
    } finally {
      this.busy = false;
      this.stage.quality.fixed = this.video !== null;
      this.stage.refresh();
      this.shots.textContent = "Images";
    }
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
    if (event.key === "R" && !this.watching && this.scene?.duration === null) this.toggle();
    else if (event.key === "P") void this.takePicture();
    else return;
    event.preventDefault();
  }
}

function number(id: string, label: string, value: string): HTMLInputElement {
  return make("input", { id, type: "number", min: 0, step: "any", value, "aria-label": label });
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}
