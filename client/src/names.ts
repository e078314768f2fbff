// Names beside the bodies, for the ones nearest to the eye.
import { Vector3 } from "three";
import type { Eye } from "./cameras";
import { make } from "./dom";
import { ROW } from "./frame";
import type { Scene } from "./messages";
import type { Pane } from "./viewports";

const MOST = 60; // in one picture

export class Names {
  private readonly place = make("div", { id: "names", "aria-hidden": true });
  private readonly labels: HTMLElement[] = [];
  on = false;

  constructor(stage: HTMLElement) {
    stage.append(this.place);
  }

  get count(): number {
    return this.labels.filter((label) => !label.hidden).length;
  }

  show(scene: Scene, poses: Float32Array, eyes: Eye[], panes: Pane[]): void {
    let used = 0;
    if (this.on) eyes.forEach((eye, k) => (used = this.showIn(scene, poses, eye, panes[k], used)));
    for (const label of this.labels.slice(used)) label.hidden = true;
  }

  private showIn(scene: Scene, poses: Float32Array, eye: Eye, pane: Pane, used: number): number {
    const seen: { name: string; x: number; y: number; z: number }[] = [];
    scene.nodes.forEach((node, i) => {
      if (node.static) return;
      at.set(poses[ROW * i], poses[ROW * i + 1], poses[ROW * i + 2]).project(eye.camera);
      if (Math.abs(at.x) < 1 && Math.abs(at.y) < 1 && at.z < 1) seen.push({ name: node.name, x: at.x, y: at.y, z: at.z });
    });
    seen.sort((a, b) => a.z - b.z);
    for (const { name, x, y } of seen.slice(0, MOST)) {
      const label = this.labels[used] ?? this.labels[this.labels.push(make("span")) - 1];
      if (!label.isConnected) this.place.append(label);
      if (label.textContent !== name) label.textContent = name;
      label.hidden = false;
      label.style.transform =
        `translate(${pane.x + 0.5 * (x + 1) * pane.width}px, ${pane.y + 0.5 * (1 - y) * pane.height}px) translate(-50%, -50%)`;
      used += 1;
    }
    return used;
  }
}

const at = new Vector3();
