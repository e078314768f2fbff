// Edges of boxes, cylinders and cones as thin lines, so that bodies of one colour on each other are told apart.
//
// Each corner of a surface tells how near it is to an edge: 1 or -1 on it. Lines are then a matter of the pixels that are
// drawn anyway, as thin on a large body as on a small one. Surfaces that tell nothing have none.
import { BufferAttribute, type BufferGeometry, type Material } from "three";

export function markEdges(surface: BufferGeometry, shape: "box" | "cylinder" | "cone"): BufferGeometry {
  const { position, normal, uv } = surface.attributes;
  const rim = new Float32Array(2 * position.count);
  for (let i = 0; i < position.count; i++) {
    const z = position.getZ(i);
    if (shape === "box") rim.set([2 * uv.getX(i) - 1, 2 * uv.getY(i) - 1], 2 * i);
    else if (Math.abs(normal.getZ(i)) > 0.99) rim[2 * i + 1] = Math.hypot(position.getX(i), position.getY(i));
    else rim[2 * i + 1] = shape === "cylinder" ? 2 * z : 1 - z;
  }
  return surface.setAttribute("rim", new BufferAttribute(rim, 2));
}

/** A material that darkens edges; where a body is only a few pixels wide they fade. */
export function withEdges<M extends Material>(material: M): M {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = "attribute vec2 rim;\nvarying vec2 vRim;\n" +
      shader.vertexShader.replace("#include <begin_vertex>", "#include <begin_vertex>\nvRim = rim;");
    shader.fragmentShader = "varying vec2 vRim;\n" +
      shader.fragmentShader.replace("#include <color_fragment>", `#include <color_fragment>
        vec2 pixel = max(fwidth(vRim), 1e-6);
        vec2 line = 1.0 - smoothstep(0.4, 1.4, (1.0 - abs(vRim)) / pixel);
        line *= 1.0 - smoothstep(0.06, 0.3, pixel);
        diffuseColor.rgb *= 1.0 - 0.6 * max(line.x, line.y);`);
  };
  return material;
}
