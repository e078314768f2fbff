// One, two or four pictures in one canvas, each with an eye of its own. The one touched last is at work.
import type { PerspectiveCamera, WebGLRenderer } from "three";
import { Eye, type Side } from "./cameras";
import { make } from "./dom";
import type { Scene } from "./messages";
import { eyeOf, masked, type Stereo } from "./stereo";

export type Count = 1 | 2 | 4;
const FIRST: Side[] = ["home", "top", "front", "side"]; // what each shows when it is opened

export interface Pane {
  x: number; // left [pixels of the page]
  y: number; // top
  width: number;
  height: number;
}

export class Viewports {
  count: Count = 1;
  active = 0;
  stereo: Stereo = "off";
  private readonly eyes: Eye[] = [];
  private readonly frame = make("div", { id: "panes", "aria-hidden": true });
  onActive: () => void = () => {};

  constructor(
    private readonly place: HTMLElement,
    private readonly canvas: HTMLElement,
    private readonly changed: () => void,
  ) {
    place.append(this.frame);
    const choose = (event: MouseEvent) => this.choose(event.clientX, event.clientY);
    place.addEventListener("pointerdown", choose, { capture: true });
    place.addEventListener("wheel", choose, { capture: true, passive: true });
    this.eyes.push(new Eye(canvas, changed));
  }

  /** The eyes that are drawn. */
  get shown(): Eye[] {
    return this.eyes.slice(0, this.count);
  }

  /** In another scene: whoever goes along with a body does so under its name, and stands where it is if the body is gone. */
  goOn(before: Scene | null, scene: Scene): void {
    for (const eye of this.eyes) {
      const name = eye.aim === "orbit" || eye.aim === "rig" ? undefined : before?.nodes[eye.node]?.name;
      if (name === undefined) continue;
      const node = scene.nodes.findIndex((one, k) => k > 0 && one.name === name);
      if (node > 0) eye.node = node;
      else eye.stay();
    }
  }

  get eye(): Eye {
    return this.eyes[this.active];
  }

  /** Show so many; new ones begin with a side each. ``ready`` is called with each new eye. */
  setCount(count: Count, ready: (eye: Eye, side: Side) => void): void {
    this.count = count;
    while (this.eyes.length < count) {
      const eye = new Eye(this.canvas, this.changed);
      this.eyes.push(eye);
      ready(eye, FIRST[this.eyes.length - 1]);
    }
    this.activate(Math.min(this.active, count - 1));
    this.changed();
  }

  activate(k: number): void {
    this.active = k;
    this.eyes.forEach((eye, i) => (eye.controls.enabled = i === k && eye.aim !== "rig"));
    this.frame.replaceChildren(
      ...(this.count === 1 ? [] : this.panes().map((pane, i) => paneMark(pane, i === this.active))),
    );
    this.onActive();
  }

  /** Places of the pictures on the page. */
  panes(): Pane[] {
    const { clientWidth: w, clientHeight: h } = this.place;
    const across = this.count === 1 ? 1 : 2;
    const down = this.count === 4 ? 2 : 1;
    return Array.from({ length: this.count }, (_, k) => ({
      x: ((k % across) * w) / across,
      y: (Math.floor(k / across) * h) / down,
      width: w / across,
      height: h / down,
    }));
  }

  /** Place of the picture of an eye. */
  paneOf(eye: Eye): Pane {
    const pane = this.panes()[Math.max(0, this.shown.indexOf(eye))];
    return this.stereo === "side" ? { ...pane, width: 0.5 * pane.width } : pane;
  }

  /** Which picture a point of the page is in, and where in it, from -1 to 1 to the right and up. */
  at(clientX: number, clientY: number): { index: number; x: number; y: number } {
    const { left, top } = this.place.getBoundingClientRect();
    const x = clientX - left, y = clientY - top;
    const panes = this.panes();
    const index = Math.max(0, panes.findIndex((p) => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height));
    const p = panes[index];
    const across = (2 * (x - p.x)) / p.width - 1;
    const folded = this.stereo === "side" ? 2 * across - Math.sign(across) : across; // each half is a whole picture
    return { index, x: folded, y: 1 - (2 * (y - p.y)) / p.height };
  }

  resize(): void {
    this.activate(this.active);
  }

  draw(renderer: WebGLRenderer, drawOne: (eye: Eye, camera: PerspectiveCamera) => void): void {
    const height = this.place.clientHeight;
    const panes = this.panes();
    const halves = this.stereo === "side" ? 2 : 1;
    renderer.setScissorTest(this.count * halves > 1);
    renderer.shadowMap.needsUpdate = true; // once: all see the same shadows
    const place = (p: Pane, half = 0): void => {
      const width = p.width / halves;
      renderer.setViewport(p.x + half * width, height - p.y - p.height, width, p.height);
      renderer.setScissor(p.x + half * width, height - p.y - p.height, width, p.height);
    };
    this.shown.forEach((eye, k) => {
      const p = panes[k];
      eye.setAspect(p.width / halves / Math.max(1, p.height));
      place(p);
      if (this.stereo === "off") return drawOne(eye, eye.camera);
      for (const which of [-1, 1] as const) {
        if (this.stereo === "side") place(p, which < 0 ? 0 : 1);
        const draw = (): void => drawOne(eye, eyeOf(eye.camera, which, eye.distance));
        if (this.stereo === "side") draw();
        else masked(renderer, which, draw);
      }
    });
  }

  private choose(x: number, y: number): void {
    const { index } = this.at(x, y);
    if (index !== this.active) this.activate(index);
  }
}

function paneMark(pane: Pane, active: boolean): HTMLElement {
  const style = `left:${pane.x}px;top:${pane.y}px;width:${pane.width}px;height:${pane.height}px`;
  return make("div", { class: active ? "pane active" : "pane", style });
}
