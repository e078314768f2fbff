// How much the picture may cost: lowered step by step while it is slow, raised again while it is quick.
import type { DirectionalLight, WebGLRenderer } from "three";

const SLOW = 60; // a picture that takes longer is slow [ms]
const MUCH_TOO_SLOW = 150;
const QUICK = 20;
const LATE = 25; // a supersampled picture that takes longer misses its turn [ms]
const TRIES = 2; // so often supersampling may be too much before it is given up
const MOST_PIXELS = 12e6; // of a supersampled picture
const PATIENCE = 4; // slow pictures in a row
const TRUST = 150; // quick pictures in a row

interface Level {
  ratio: number; // pixels of the picture a pixel of the page, at most those of the screen; at 2 also more, see below
  shadow: number; // edge of the shadow map, 0 for none
}

const LEVELS: Level[] = [
  { ratio: 2, shadow: 2048 },
  { ratio: 1, shadow: 2048 },
  { ratio: 1, shadow: 1024 },
  { ratio: 0.75, shadow: 512 },
  { ratio: 0.5, shadow: 512 },
  { ratio: 0.5, shadow: 0 },
  { ratio: 0.4, shadow: 0 },
];
const SHARP = 2048; // edge of the shadow map of a picture that stays
const CHEAP = 5; // level at which pictures of very many bodies begin where there is no graphics processor

export class Quality {
  level: number;
  fixed = false; // whether it stays as it is, for pictures that are kept
  private sharp = false; // whether the picture is one that stays, at the full level
  private best = hasSoftwareOnly() ? 2 : 0; // level that is not gone beyond
  private shadows = true; // if they can be afforded
  private slow = 0;
  private quick = 0;
  private tries = TRIES;

  constructor(
    private readonly renderer: WebGLRenderer,
    private readonly sun: DirectionalLight,
  ) {
    this.level = this.best;
    this.apply();
  }

  /** Whether surfaces are cheap ones, which have no shadows. */
  setCheap(on: boolean): void {
    if (on) this.level = Math.max(this.level, CHEAP);
    this.best = on ? CHEAP : hasSoftwareOnly() ? 2 : 0;
    this.apply();
  }

  /** A picture took so long; returns whether the size of the picture has changed. */
  took(ms: number): boolean {
    if (this.fixed) return false;
    const limit = this.supersampled ? LATE : SLOW;
    this.slow = ms > limit ? this.slow + (ms > MUCH_TOO_SLOW ? PATIENCE / 2 : 1) : 0;
    this.quick = ms < QUICK ? this.quick + 1 : 0;
    const lower = this.slow >= PATIENCE && this.level < LEVELS.length - 1;
    const raise = this.quick >= TRUST && this.level > this.best;
    if (!lower && !raise) return false;
    if (lower && this.supersampled && --this.tries <= 0) this.best = Math.max(this.best, 1);
    this.level += lower ? 1 : -1;
    this.slow = this.quick = 0;
    this.apply();
    return true;
  }

  setShadows(on: boolean): void {
    this.shadows = on;
    this.apply();
  }

  /** Whether a picture that stays may be drawn once more, sharp and with its shadows. */
  get blurred(): boolean {
    if (this.fixed) return false;
    const now = LEVELS[this.level], { ratio, shadow } = this.full;
    return pixelsAt(now.ratio) < pixelsAt(ratio) || now.shadow < shadow;
  }

  /** Whether pictures have more pixels than the screen: four samples or so for each. */
  get supersampled(): boolean {
    return pixelsAt(LEVELS[this.level].ratio) > window.devicePixelRatio;
  }

  /** The full level, for a picture that stays, or the one that can be afforded, for one of many. */
  sharpen(on: boolean): void {
    if (this.fixed || this.sharp === on) return;
    this.sharp = on;
    this.apply();
  }

  private get full(): Level {
    const { ratio, shadow } = LEVELS[this.best];
    return { ratio: Math.max(1, ratio), shadow: shadow > 0 ? SHARP : 0 };
  }

  private apply(): void {
    const { ratio, shadow } = this.sharp ? this.full : LEVELS[this.level];
    const pixels = pixelsAt(ratio);
    // setting them empties the picture, and a video cannot change its size
    if (!this.fixed && this.renderer.getPixelRatio() !== pixels) this.renderer.setPixelRatio(pixels);
    this.sun.castShadow = shadow > 0 && this.shadows;
    if (shadow > 0 && this.sun.shadow.mapSize.x !== shadow) {
      this.sun.shadow.mapSize.set(shadow, shadow);
      this.sun.shadow.map?.dispose();
      this.sun.shadow.map = null;
    }
  }
}

/**
 * Pixels of the picture a pixel of the page. Edges and fine lines are smooth with 2 by 2 for a pixel of the screen, which is
 * for graphics processors with room to spare: it is the first thing to go when pictures are late.
 */
function pixelsAt(ratio: number): number {
  const screen = window.devicePixelRatio;
  if (ratio < 2 || screen >= 2) return Math.min(screen, ratio);
  return Math.max(screen, Math.min(2, Math.sqrt(MOST_PIXELS / (window.innerWidth * window.innerHeight))));
}

let software: boolean | null = null;

/** Whether pictures are computed without a graphics processor; asked before there is a renderer, which depends on it. */
export function hasSoftwareOnly(): boolean {
  if (software === null) {
    const gl = document.createElement("canvas").getContext("webgl2");
    const info = gl?.getExtension("WEBGL_debug_renderer_info");
    const name = gl ? String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER)) : "software";
    software = /swiftshader|llvmpipe|software|basic render/i.test(name);
    gl?.getExtension("WEBGL_lose_context")?.loseContext();
  }
  return software;
}
