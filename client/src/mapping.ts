// What moves an input: keys, an axis or a button of a gamepad, with dead zone, range and calibration; kept in the browser.
import type { Device } from "./messages";

export interface Mapping {
  up: string; // codes of keys
  down: string;
  axis: number | null;
  button: number | null;
  inverted: boolean;
  dead: number; // share of the axis about its middle that does nothing
  range: number; // share of the way to the ends that the device can reach
  rise: number; // time of a key from rest to an end [s]
  least: number; // of the axis, as calibrated
  middle: number;
  most: number;
}

export function usual(device: Device): Mapping {
  return {
    up: device.up, down: device.down, axis: device.axis, button: device.button, inverted: false,
    dead: 0.08, range: 1, rise: device.rise, least: -1, middle: 0, most: 1,
  };
}

/** An axis as it is told by the gamepad, as a share from -1 to 1 of the way to the ends. */
export function calibrated(raw: number, map: Mapping): number {
  const reach = raw >= map.middle ? map.most - map.middle : map.middle - map.least;
  const share = Math.max(-1, Math.min(1, (raw - map.middle) / (Math.abs(reach) > 1e-6 ? reach : 1)));
  const size = Math.abs(share);
  const beyond = size <= map.dead ? 0 : (size - map.dead) / Math.max(1e-6, 1 - map.dead);
  return Math.sign(share) * beyond;
}

/** A share as a value of the input: 0 is at rest, 1 and -1 are its ends. */
export function scaled(share: number, device: Device, map: Mapping): number {
  const way = Math.max(-1, Math.min(1, share)) * (map.inverted ? -1 : 1) * map.range;
  if (device.digital) return way > 0.5 ? device.high : device.rest;
  return device.rest + way * (way >= 0 ? device.high - device.rest : device.rest - device.low);
}

const place = (scene: string, device: string): string => `gelenk-input/${scene}/${device}`;

export function kept(scene: string, device: Device): Mapping {
  const made = usual(device);
  try {
    const read = JSON.parse(localStorage.getItem(place(scene, device.name)) ?? "{}") as Record<string, unknown>;
    const to = made as unknown as Record<string, unknown>;
    for (const [name, now] of Object.entries(made)) {
      const value = read[name];
      const number = typeof value === "number" && Number.isFinite(value);
      if (name === "axis" || name === "button" ? Number.isInteger(value) || value === null : number ? typeof now === "number" : typeof value === typeof now && value !== null) {
        to[name] = value;
      }
    }
  } catch {
    // what was kept is of no use
  }
  return made;
}

export function keep(scene: string, device: Device, map: Mapping): void {
  try {
    localStorage.setItem(place(scene, device.name), JSON.stringify(map));
  } catch {
    // nothing can be kept here
  }
}
