// Inputs and outputs on the page: pads to touch, what moves them, calibration, and whether sound is on.
import { make } from "./dom";
import { gamepads, type Handle, type Inputs } from "./inputs";
import { keep, kept, usual } from "./mapping";
import type { Device, Scene } from "./messages";
import type { Senses } from "./senses";

const LISTEN = 4000; // how long an axis is waited for, and calibration lasts [ms]

export class InputsPanel {
  private readonly body = make("div");
  private readonly panel = make("details", { id: "inputs", class: "panel", open: true, hidden: true }, make("summary", {}, "Inputs"), this.body);
  private readonly pads = new Map<Handle, HTMLInputElement | HTMLButtonElement>();
  private readonly reads = new Map<Handle, HTMLOutputElement>();
  private scene = "";
  private declared = "";

  constructor(
    place: HTMLElement,
    private readonly inputs: Inputs,
    private readonly senses: Senses,
  ) {
    place.append(this.panel);
    inputs.onValue = () => this.show();
  }

  setScene(scene: Scene): void {
    const declared = JSON.stringify([scene.name, scene.devices, scene.tones, scene.noises, scene.vibrates]);
    if (declared === this.declared) return;
    this.declared = declared;
    this.scene = scene.name;
    this.pads.clear();
    this.reads.clear();
    this.inputs.handles = scene.devices.map((device) => {
      return { device, map: kept(scene.name, device), pad: 0, keyed: 0, value: device.rest, sent: device.rest };
    });
    this.body.replaceChildren(...this.inputs.handles.map((handle) => this.row(handle)), ...this.sound(scene));
    this.panel.hidden = this.body.children.length === 0;
    this.show();
  }

  private row(handle: Handle): HTMLElement {
    const { device } = handle;
    const read = make("output", { "data-name": device.name });
    this.reads.set(handle, read);
    const pad = device.digital ? this.buttonPad(handle) : this.sliderPad(handle);
    this.pads.set(handle, pad);
    const word = device.name + (device.unit ? ` [${device.unit}]` : "");
    return make("div", { class: "dial" }, make("span", { class: "word" }, word), read, pad, this.mapping(handle));
  }

  private sliderPad(handle: Handle): HTMLInputElement {
    const { device } = handle;
    const least = device.low < device.rest ? -1 : 0;
    const most = device.high > device.rest ? 1 : 0;
    const pad = make("input", {
      type: "range", min: least, max: most, step: 0.01, value: 0, class: "pad",
      "aria-label": `pad of ${device.name}`, "data-name": device.name,
    });
    const sign = (): number => (handle.map.inverted ? -1 : 1);
    pad.addEventListener("input", () => (handle.pad = sign() * Number(pad.value)));
    const home = (): void => {
      handle.pad = 0;
      pad.value = "0";
    };
    for (const kind of ["pointerup", "pointercancel", "blur"]) pad.addEventListener(kind, home);
    return pad;
  }

  private buttonPad(handle: Handle): HTMLButtonElement {
    const pad = make("button", { type: "button", class: "pad", "data-name": handle.device.name }, handle.device.name);
    const set = (on: number) => (): void => {
      handle.pad = on;
    };
    pad.addEventListener("pointerdown", set(1));
    for (const kind of ["pointerup", "pointercancel", "pointerleave", "blur", "keyup"]) pad.addEventListener(kind, set(0));
    pad.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") handle.pad = 1;
    });
    return pad;
  }

  /** What moves it: keys, axis, button; dead zone, range, inversion, calibration. */
  private mapping(handle: Handle): HTMLElement {
    const { device } = handle;
    const place = make("div", { class: "fields" });
    const draw = (): void => {
      const { map } = handle;
      const save = (): void => keep(this.scene, device, map);
      const key = (what: "up" | "down"): HTMLElement => {
        const button = make("button", { type: "button", "aria-label": `key ${what} of ${device.name}` }, map[what] || "none");
        button.addEventListener("click", () => {
          button.textContent = "press a key";
          this.inputs.catchKey = (code) => {
            map[what] = code;
            save();
            draw();
          };
        });
        return make("label", { class: "field" }, `key ${what}`, button);
      };
      const number = (word: string, what: "axis" | "button" | "dead" | "range" | "rise", most: number): HTMLElement => {
        const input = make("input", { type: "number", min: 0, max: most, step: "any", value: map[what] ?? "", "aria-label": `${word} of ${device.name}` });
        input.addEventListener("change", () => {
          const counted = what === "axis" || what === "button";
          const none = input.value === "" && counted;
          const given = Math.max(0, Math.min(most, Number(input.value) || 0));
          const value = counted ? Math.round(given) : given;
          (map as unknown as Record<string, number | null>)[what] = none ? null : value;
          save();
        });
        return make("label", { class: "field" }, word, input);
      };
      const inverted = make("input", { type: "checkbox", checked: map.inverted });
      inverted.addEventListener("change", () => {
        map.inverted = inverted.checked;
        save();
      });
      const act = (text: string, title: string, does: (button: HTMLButtonElement) => void): HTMLElement => {
        const button = make("button", { type: "button", title }, text);
        button.addEventListener("click", () => does(button));
        return button;
      };
      place.replaceChildren(
        key("up"), key("down"), number("axis", "axis", 63), number("button", "button", 63),
        number("dead zone", "dead", 0.9), number("range", "range", 1), number("rise [s]", "rise", 60),
        make("label", { class: "field" }, "inverted", inverted),
        act("Find axis", "move the axis or press the button of the gamepad", (b) => this.findAxis(handle, b, draw, save)),
        act("Calibrate", "move the axis to both ends and back", (b) => this.calibrate(handle, b, draw, save)),
        act("As declared", "forget what was chosen", () => {
          handle.map = usual(device);
          keep(this.scene, device, handle.map);
          draw();
        }),
      );
    };
    draw();
    return make("details", { class: "inner" }, make("summary", {}, `what moves ${device.name}`), place);
  }

  private findAxis(handle: Handle, button: HTMLButtonElement, draw: () => void, save: () => void): void {
    const before = gamepads().map((pad) => ({ axes: [...pad.axes], buttons: pad.buttons.map((b) => b.value) }));
    const end = performance.now() + LISTEN;
    button.textContent = "move it now";
    const look = (): void => {
      for (const [k, pad] of gamepads().entries()) {
        const axis = pad.axes.findIndex((value, i) => Math.abs(value - (before[k]?.axes[i] ?? 0)) > 0.5);
        const pressed = pad.buttons.findIndex((b, i) => b.value - (before[k]?.buttons[i] ?? 0) > 0.5);
        if (axis < 0 && pressed < 0) continue;
        if (axis >= 0) handle.map.axis = axis;
        else handle.map.button = pressed;
        save();
        draw();
        return;
      }
      if (performance.now() < end) setTimeout(look, 30);
      else draw();
    };
    look();
  }

  private calibrate(handle: Handle, button: HTMLButtonElement, draw: () => void, save: () => void): void {
    const { map } = handle;
    const end = performance.now() + LISTEN;
    const raw = (): number | undefined => gamepads().find((pad) => map.axis !== null && map.axis < pad.axes.length)?.axes[map.axis ?? 0];
    const middle = raw();
    if (middle === undefined) {
      button.textContent = "no such axis";
      return;
    }
    let least = middle;
    let most = middle;
    button.textContent = "move to both ends";
    const look = (): void => {
      const now = raw() ?? middle;
      least = Math.min(least, now);
      most = Math.max(most, now);
      if (performance.now() < end) setTimeout(look, 20);
      else {
        if (most - least > 0.05) Object.assign(map, { least, middle, most });
        save();
        draw();
      }
    };
    look();
  }

  private sound(scene: Scene): HTMLElement[] {
    const sounds = [...scene.tones, ...scene.noises];
    if (sounds.length === 0) return [];
    const on = make("input", { id: "sound", type: "checkbox", checked: this.senses.on });
    on.addEventListener("change", () => this.senses.turn(on.checked));
    return [make("label", { class: "dial switch" }, on, `sound: ${sounds.join(", ")}`)];
  }

  private show(): void {
    for (const [handle, read] of this.reads) {
      const { value, device, pad } = handle;
      read.value = String(Number(value.toPrecision(3)));
      const control = this.pads.get(handle);
      const way = value >= device.rest ? device.high - device.rest : device.rest - device.low;
      const share = way > 0 ? (value - device.rest) / way : 0;
      if (control instanceof HTMLInputElement) {
        if (pad === 0) control.value = String(share);
      } else control?.setAttribute("aria-pressed", String(share > 0.5));
    }
  }

  /** Names of all inputs and what they are, for tests. */
  get values(): Record<string, number> {
    return Object.fromEntries(this.inputs.handles.map(({ device, value }: { device: Device; value: number }) => [device.name, value]));
  }
}
