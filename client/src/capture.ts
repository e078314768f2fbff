// Pictures of the stage as files: one, many at fixed steps of time, or a video.
import type { FromPage, Scene, Status } from "./messages";
import type { Stage } from "./stage";
import { zip, type Stored } from "./zip";

export const MOST_IMAGES = 2000;
const PATIENCE = 60_000; // for one picture of a sequence [ms]
const KINDS = [
  "video/mp4;codecs=avc1.640028", "video/mp4;codecs=avc1.42E01F", "video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm",
];

/** The picture at the full level, as PNG. The canvas is read in the same turn: it is empty after it. */
export function picture(stage: Stage): Promise<Blob> {
  return new Promise((resolve, reject) => {
    stage.drawSharp();
    stage.renderer.domElement.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png");
  });
}

/** Hand a file to the person. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export interface Sequence {
  scene: Scene;
  status: () => Status | null;
  send: (message: FromPage) => void;
  every: number; // simulated time between pictures [s]
  count: number;
  told: (done: number) => void;
  stopped: () => boolean;
}

/** Pictures at fixed steps of simulated time, from now on; a simulation takes whole steps. */
export async function images(stage: Stage, wanted: Sequence): Promise<Blob> {
  const { scene, send, status } = wanted;
  const replay = scene.duration !== null;
  send({ kind: "pause" });
  await until(() => status()?.run !== "playing");
  const start = status()?.time ?? 0;
  const steps = Math.max(1, Math.round(wanted.every / scene.h));
  const files: Stored[] = [];
  for (let k = 0; k < wanted.count && !wanted.stopped(); k++) {
    const t = start + k * (replay ? wanted.every : steps * scene.h);
    if (k > 0) {
      send(replay ? { kind: "seek", t } : { kind: "step", n: steps });
      // a status comes after the frame that it tells of
      await until(() => Math.abs((status()?.time ?? NaN) - t) < (replay ? 1e-6 + 1e-9 * Math.abs(t) : 0.5 * scene.h));
    }
    const data = new Uint8Array(await (await picture(stage)).arrayBuffer());
    files.push({ name: `${String(k).padStart(5, "0")}_t${t.toFixed(4)}.png`, data });
    wanted.told(k + 1);
  }
  return zip(files);
}

async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE;
  while (!condition()) {
    if (performance.now() > end) throw new Error("waited too long for a picture");
    await new Promise((go) => setTimeout(go, 5));
  }
}

/** What kind of video this browser can make, or null. */
export function videoKind(): string | null {
  if (typeof MediaRecorder === "undefined" || !("captureStream" in HTMLCanvasElement.prototype)) return null;
  return KINDS.find((kind) => MediaRecorder.isTypeSupported(kind)) ?? null;
}

/** A video of what is seen, in real time, until it is stopped. */
export class Video {
  private readonly parts: Blob[] = [];
  private readonly recorder: MediaRecorder;
  readonly suffix: string;

  constructor(stage: Stage, kind: string) {
    this.suffix = kind.startsWith("video/mp4") ? "mp4" : "webm";
    const stream = stage.renderer.domElement.captureStream(30);
    this.recorder = new MediaRecorder(stream, { mimeType: kind, videoBitsPerSecond: 8e6 });
    this.recorder.ondataavailable = (event) => this.parts.push(event.data);
    this.recorder.start(500);
    stage.refresh();
  }

  stop(): Promise<Blob> {
    return new Promise((resolve) => {
      this.recorder.onstop = () => resolve(new Blob(this.parts, { type: this.recorder.mimeType }));
      this.recorder.stop();
    });
  }
}
