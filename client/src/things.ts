// Small things that scenery is made of, 1 m high and standing on their place; each also in a simpler shape for afar.
import { BoxGeometry, BufferAttribute, type BufferGeometry, Color, ConeGeometry, CylinderGeometry, IcosahedronGeometry } from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { Piece } from "./messages";

export type Kind = Exclude<Piece["shape"], "surface">;

const BARK = new Color("#5b4636");
const WHITE = new Color("#ffffff"); // takes the colour of the copy
const STEEL = new Color("#6e757c");

function part(shape: BufferGeometry, colour: Color, from = colour, z0 = 0, z1 = 1): BufferGeometry {
  const made = shape.index ? shape.toNonIndexed() : shape;
  const position = made.getAttribute("position");
  const shades = new Float32Array(3 * position.count);
  for (let i = 0; i < position.count; i++) {
    const t = Math.min(1, Math.max(0, (position.getZ(i) - z0) / (z1 - z0)));
    from.clone().lerp(colour, t).toArray(shades, 3 * i);
  }
  made.deleteAttribute("uv");
  made.setAttribute("color", new BufferAttribute(shades, 3));
  return made;
}

function upright(radiusTop: number, radius: number, height: number, sides: number, z: number): BufferGeometry {
  return new CylinderGeometry(radiusTop, radius, height, sides).rotateX(Math.PI / 2).translate(0, 0, z + 0.5 * height);
}

function cone(radius: number, height: number, sides: number, z: number): BufferGeometry {
  return new ConeGeometry(radius, height, sides, 1, true).rotateX(Math.PI / 2).translate(0, 0, z + 0.5 * height);
}

function crown(detail: number, r: number, x: number, y: number, z: number): BufferGeometry {
  return new IcosahedronGeometry(r, detail).scale(1, 1, 1.15).translate(x, y, z);
}

const SHADE = new Color("#8a8f88"); // the lower part of a crown, in its own shadow

const THINGS: Record<Kind, (near: boolean) => BufferGeometry[]> = {
  conifer: (near) =>
    near
      ? [
          part(upright(0.016, 0.026, 0.3, 5, 0), BARK),
          ...[[0.2, 0.42, 0.12], [0.165, 0.36, 0.34], [0.125, 0.3, 0.54], [0.08, 0.26, 0.74]].map(([r, h, z]) =>
            part(cone(r, h, 9, z), WHITE, SHADE, z, z + 0.8 * h)),
        ]
      : [part(cone(0.17, 0.9, 5, 0.1), WHITE, SHADE, 0.1, 0.9)],
  tree: (near) =>
    near
      ? [
          part(upright(0.02, 0.035, 0.45, 6, 0), BARK),
          part(crown(1, 0.24, 0, 0, 0.66), WHITE, SHADE, 0.4, 0.85),
          part(crown(1, 0.17, 0.14, 0.06, 0.55), WHITE, SHADE, 0.4, 0.8),
          part(crown(1, 0.16, -0.13, -0.07, 0.6), WHITE, SHADE, 0.4, 0.8),
        ]
      : [part(crown(0, 0.27, 0, 0, 0.64), WHITE, SHADE, 0.35, 0.9), part(upright(0.03, 0.03, 0.4, 3, 0), BARK)],
  post: () => [part(upright(0.04, 0.04, 1, 8, 0), WHITE)],
  banner: () => [part(new BoxGeometry(0.04, 1, 1).translate(0, 0, 0.5), WHITE)],
  box: () => [part(new BoxGeometry(1, 1, 1).translate(0, 0, 0.5), WHITE)],
  lamp: () => [
    part(upright(0.008, 0.013, 1, 6, 0), STEEL),
    part(new BoxGeometry(0.1, 0.05, 0.02).translate(0.05, 0, 1), STEEL),
  ],
  rock: (near) => [part(new IcosahedronGeometry(0.6, near ? 1 : 0).scale(1, 0.8, 0.7).translate(0, 0, 0.25), WHITE, SHADE, 0, 0.6)],
};

export function thing(kind: Kind, near: boolean): BufferGeometry {
  const made = mergeGeometries(THINGS[kind](near));
  made.computeBoundingSphere();
  return made;
}
