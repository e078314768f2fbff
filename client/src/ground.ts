// The ground: a grid of metres, drawn by the pixel, that fades into the distance. A plane of the model wears it as a solid
// floor; where there is none, the lines alone give measure.
import { Color, DoubleSide, Mesh, MeshLambertMaterial, PlaneGeometry, ShaderMaterial } from "three";

/** Lines every step and, stronger, every ten; those too close to each other to be told apart fade. */
export const GRID = `
  float gridOf(vec2 q, vec2 w) {
    vec2 d = abs(fract(q - 0.5) - 0.5) / w;
    return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.15, 0.6, max(w.x, w.y)));
  }
  float gridLines(vec2 p, float step, float fine, float coarse) {
    vec2 q = p / step;
    vec2 w = max(fwidth(q), vec2(1e-5));
    return fine * gridOf(q, w) + coarse * gridOf(0.1 * q, 0.1 * w);
  }
`;

export interface Ground {
  uniforms: {
    uStep: { value: number };
    uGrid: { value: number };
    uFade: { value: number };
    uHaze: { value: Color };
    uLine: { value: Color };
  };
}

export function groundUniforms(): Ground["uniforms"] {
  return {
    uStep: { value: 1 },
    uGrid: { value: 1 }, // 0 hides the lines
    uFade: { value: 40 },
    uHaze: { value: new Color("#e6ecf2") },
    uLine: { value: new Color("#5b6b7c") },
  };
}

/** A floor that takes light and shadow. */
export function floorMaterial(uniforms: Ground["uniforms"]): MeshLambertMaterial {
  const material = new MeshLambertMaterial({ color: "#ffffff" });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vPlane;")
      .replace("#include <fog_vertex>", "#include <fog_vertex>\nvPlane = position.xy;");
    shader.fragmentShader = shader.fragmentShader
      .replace(
        "#include <common>",
        `#include <common>\nvarying vec2 vPlane;
         uniform float uStep, uFade, uGrid;\nuniform vec3 uHaze, uLine;\n${GRID}`,
      )
      .replace(
        "#include <color_fragment>",
        `#include <color_fragment>
         diffuseColor.rgb = mix(diffuseColor.rgb, uLine, uGrid * gridLines(vPlane, uStep, 0.16, 0.24));`,
      )
      .replace(
        "#include <tonemapping_fragment>", // the haze is the colour of the sky, which is not toned either
        `#include <tonemapping_fragment>
         gl_FragColor.rgb = mix(gl_FragColor.rgb, uHaze, smoothstep(0.15, 1.0, length(vViewPosition) / uFade));`,
      );
  };
  return material;
}

/** Lines alone, for scenes without a floor. */
export function lineGround(uniforms: Ground["uniforms"]): Mesh {
  const material = new ShaderMaterial({
    uniforms,
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
    vertexShader: `
      varying vec2 vPlane; varying vec3 vEye;
      void main() {
        vec4 p = modelMatrix * vec4(position, 1.0);
        vPlane = p.xy;
        vec4 eye = viewMatrix * p;
        vEye = eye.xyz;
        gl_Position = projectionMatrix * eye;
      }`,
    fragmentShader: `
      varying vec2 vPlane; varying vec3 vEye;
      uniform float uStep, uFade; uniform vec3 uLine;
      ${GRID}
      void main() {
        float line = gridLines(vPlane, uStep, 0.30, 0.40);
        gl_FragColor = vec4(uLine, line * (1.0 - smoothstep(0.2, 0.9, length(vEye) / uFade)));
        #include <colorspace_fragment>
      }`,
  });
  const mesh = new Mesh(new PlaneGeometry(1, 1), material);
  mesh.frustumCulled = false;
  mesh.renderOrder = 1;
  return mesh;
}
