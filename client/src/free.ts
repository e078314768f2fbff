// What the panels leave free of a picture.
import type { Pane } from "./viewports";

const LEAST = 0.4; // of the picture; where panels would leave less, they are not heeded

export interface Free {
  middle: [number, number]; // from -1 to 1 to the right and up
  width: number; // [pixels of the page]
  height: number;
}

/** The part of a picture between the panels at the right and the left and above the bar. */
export function freeOf(pane: Pane, place: HTMLElement): Free {
  const from = place.getBoundingClientRect();
  const edge = (id: string, side: "left" | "right" | "top", otherwise: number): number => {
    const box = document.getElementById(id)?.getBoundingClientRect();
    return box && box.width > 0 && box.height > 0 ? box[side] - (side === "top" ? from.top : from.left) : otherwise;
  };
  const [l, r] = between(pane.x, pane.x + pane.width, edge("left", "right", -Infinity), edge("side", "left", Infinity));
  const [t, b] = between(pane.y, pane.y + pane.height, -Infinity, edge("bar", "top", Infinity));
  return {
    middle: [(l + r - 2 * pane.x) / pane.width - 1, 1 - (t + b - 2 * pane.y) / pane.height],
    width: r - l,
    height: b - t,
  };
}

function between(low: number, high: number, least: number, most: number): [number, number] {
  const [from, to] = [Math.max(low, least), Math.min(high, most)];
  return to - from < LEAST * (high - low) ? [low, high] : [from, to];
}
