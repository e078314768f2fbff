// What ice and wood are grained with: one small picture that repeats, made here from chance with a seed, so that all pages
// are alike. Red is frost in patches, green are streaks along, blue are planks side by side.
import { DataTexture, LinearFilter, LinearMipmapLinearFilter, RepeatWrapping, RGBAFormat } from "three";
import { hasSoftwareOnly } from "./quality";

const ALONG = 512; // pixels of the picture
const ACROSS = 256;
const PLANKS = 64;
export const TILE = [16, 4]; // what it covers along and across [m]: planks are 0.25 m wide

let made: DataTexture | null = null;

export function grain(): DataTexture {
  made ??= make();
  return made;
}

function make(): DataTexture {
  const chance = dice(7);
  const frost = [clouds(chance, 24, 12), clouds(chance, 96, 40), clouds(chance, 256, 128)];
  const streaks = [clouds(chance, 4, 128), clouds(chance, 2, 48)];
  const shades = Float32Array.from({ length: PLANKS }, chance);
  const fibres = clouds(chance, 256, 8);
  const pixels = new Uint8Array(4 * ALONG * ACROSS);
  const byte = (x: number): number => Math.round(255 * Math.min(1, Math.max(0, x)));
  for (let j = 0; j < ACROSS; j++)
    for (let i = 0; i < ALONG; i++) {
      const [u, v] = [i / ALONG, j / ACROSS];
      const k = 4 * (j * ALONG + i);
      const plank = Math.floor(u * PLANKS);
      const gap = i % (ALONG / PLANKS) === 0 ? 0.35 : 1; // between two planks
      pixels[k] = byte(0.55 * frost[0](u, v) + 0.3 * frost[1](u, v) + 0.15 * frost[2](u, v));
      pixels[k + 1] = byte(0.7 * streaks[0](u, v) + 0.3 * streaks[1](u, v));
      pixels[k + 2] = byte(gap * (0.55 + 0.3 * shades[plank] + 0.15 * fibres(u, v)));
      pixels[k + 3] = 255;
    }
  const texture = new DataTexture(pixels, ALONG, ACROSS, RGBAFormat);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.magFilter = LinearFilter;
  texture.minFilter = LinearMipmapLinearFilter; // far away it is even, and does not flicker
  texture.generateMipmaps = true;
  texture.anisotropy = hasSoftwareOnly() ? 2 : 8;
  texture.needsUpdate = true;
  return texture;
}

/** Smooth chance from 0 to 1 on a lattice of so many cells along and across, that goes on over the edges. */
function clouds(chance: () => number, n: number, m: number): (u: number, v: number) => number {
  const cells = Float32Array.from({ length: n * m }, chance);
  const ease = (t: number): number => t * t * (3 - 2 * t);
  return (u, v) => {
    const [x, y] = [u * n, v * m];
    const [i, j] = [Math.floor(x), Math.floor(y)];
    const [s, t] = [ease(x - i), ease(y - j)];
    const at = (a: number, b: number): number => cells[((j + b) % m) * n + ((i + a) % n)];
    return (1 - t) * ((1 - s) * at(0, 0) + s * at(1, 0)) + t * ((1 - s) * at(0, 1) + s * at(1, 1));
  };
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function dice(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** What a texture does to the colour of a surface; uGrain is the picture, vGrain the way along and across [m]. */
export const GRAINED: Record<"" | "ice" | "wood", string> = {
  "": "",
  ice: `
    vec2 tile = vGrain / vec2(${TILE[0].toFixed(1)}, ${TILE[1].toFixed(1)});
    vec4 grain = texture2D(uGrain, tile);
    float patches = texture2D(uGrain, tile * vec2(0.13, 0.31)).r;
    float frost = 0.6 * grain.r + 0.4 * patches;
    diffuseColor.rgb *= 0.74 + 0.46 * frost;
    diffuseColor.rgb = mix(diffuseColor.rgb, vec3(1.0), 0.5 * smoothstep(0.55, 0.85, grain.g)); // scratched white
    polish = 1.0 - smoothstep(0.35, 0.7, frost);`,
  wood: `
    diffuseColor.rgb *= 0.35 + 0.85 * texture2D(uGrain, vGrain / vec2(${TILE[0].toFixed(1)}, ${TILE[1].toFixed(1)})).b;`,
};
