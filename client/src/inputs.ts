// Inputs that hands move: reads keys, gamepads and pads on the screen, and sends what has changed.
import { calibrated, scaled, type Mapping } from "./mapping";
import type { Device, FromPage } from "./messages";
import { note } from "./notes";

const EVERY = 16; // [ms]
const EASE = 0.15; // in which what a gamepad held goes to rest when it has vanished [s]

export interface Handle {
  device: Device;
  map: Mapping;
  pad: number; // share that the pad on the screen asks for
  keyed: number; // share that keys have reached
  value: number;
  sent: number;
  padded?: number; // share that a gamepad asked for last
}

export class Inputs {
  handles: Handle[] = [];
  driving = true;
  connected = false; // nothing is sent meanwhile
  onValue: () => void = () => {};
  /** The next key or axis goes here instead, while something is to be assigned. */
  catchKey: ((code: string) => void) | null = null;

  private readonly pressed = new Set<string>();
  private readonly fresh = new Set<string>(); // pressed since the last look
  private readonly tapped = new Set<string>(); // and let go again before it: they count for one look
  private last = performance.now();

  constructor(private readonly send: (message: FromPage) => void) {
    window.addEventListener("keydown", (event) => this.key(event, true), { capture: true });
    window.addEventListener("keyup", (event) => this.key(event, false), { capture: true });
    window.addEventListener("blur", () => [this.pressed, this.fresh, this.tapped].forEach((codes) => codes.clear()));
    window.addEventListener("gamepaddisconnected", (event) => note(`${nameOf(event)} is gone: what it held goes to rest. Plug it in again.`));
    window.addEventListener("gamepadconnected", (event) => note(`${nameOf(event)} is there.`));
    setInterval(() => this.turn(), EVERY);
  }

  /** Everything is at rest on the other side: what hands still hold is sent again. */
  forget(): void {
    for (const handle of this.handles) handle.sent = handle.device.rest;
  }

  private key(event: KeyboardEvent, down: boolean): void {
    if (down && this.catchKey) {
      this.catchKey(event.code === "Escape" ? "" : event.code);
      this.catchKey = null;
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    const target = event.target as HTMLElement;
    if (down && (event.ctrlKey || event.metaKey || event.altKey || isTyping(target))) return;
    if (!this.handles.some(({ map }) => map.up === event.code || map.down === event.code)) return;
    if (down) {
      if (!this.pressed.has(event.code)) this.fresh.add(event.code);
      this.pressed.add(event.code);
      this.tapped.delete(event.code);
    } else if (this.fresh.has(event.code)) this.tapped.add(event.code);
    else this.pressed.delete(event.code);
    event.preventDefault();
    event.stopImmediatePropagation(); // a key that steers does nothing else
  }

  private turn(): void {
    const now = performance.now();
    const passed = Math.min(0.2, (now - this.last) / 1000);
    this.last = now;
    const pads = gamepads();
    let moved = false;
    for (const handle of this.handles) {
      const { device, map } = handle;
      const aim = Number(this.pressed.has(map.up)) - Number(this.pressed.has(map.down));
      const most = map.rise > 0 && !device.digital ? passed / map.rise : 2;
      handle.keyed += Math.max(-most, Math.min(most, aim - handle.keyed));
      const shares = [handle.keyed, handle.pad];
      const padded: number[] = [];
      for (const pad of pads) {
        if (map.axis !== null && map.axis < pad.axes.length) padded.push(calibrated(pad.axes[map.axis], map));
        if (map.button !== null && map.button < pad.buttons.length) padded.push(pad.buttons[map.button].value);
      }
      if (padded.length > 0) handle.padded = padded.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a));
      else if (handle.padded) handle.padded = Math.abs(handle.padded) < 0.01 ? 0 : handle.padded * Math.exp(-passed / EASE);
      shares.push(handle.padded ?? 0);
      const strongest = shares.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a));
      const value = scaled(strongest, device, map);
      if (value === handle.value && value === handle.sent) continue;
      moved ||= value !== handle.value;
      handle.value = value;
      const tiny = 1e-3 * (device.high - device.low);
      const end = value === device.rest || value === device.low || value === device.high;
      if (this.connected && (this.driving || device.shared) && value !== handle.sent && (end || Math.abs(value - handle.sent) > tiny)) {
        handle.sent = value;
        this.send({ kind: "set_input", name: device.name, value });
      }
    }
    for (const code of this.tapped) this.pressed.delete(code);
    this.fresh.clear();
    this.tapped.clear();
    if (moved) this.onValue();
  }
}

function nameOf(event: Event): string {
  return (event as GamepadEvent).gamepad?.id.slice(0, 40) || "The gamepad";
}

export function gamepads(): Gamepad[] {
  return navigator.getGamepads ? [...navigator.getGamepads()].filter((pad): pad is Gamepad => pad !== null) : [];
}

function isTyping(target: HTMLElement): boolean {
  const kind = (target as HTMLInputElement).type;
  return /^(TEXTAREA|SELECT)$/.test(target.tagName) || (target.tagName === "INPUT" && kind !== "checkbox" && kind !== "range");
}
