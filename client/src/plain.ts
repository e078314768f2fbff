// Cheap surfaces, for pictures that are computed without a graphics processor: light is reckoned a corner, not a pixel,
// and nothing casts a shadow. Two thousand of them are then still a moving picture.
import { Color, type DataTexture, DoubleSide, ShaderMaterial, Vector3 } from "three";
import { GRID, type Ground } from "./ground";
import { SUN } from "./sky";

export interface PlainLight {
  uSun: { value: Vector3 };
  uSunlight: { value: Color };
  uAbove: { value: Color };
  uBelow: { value: Color };
}

export function plainLight(): PlainLight {
  return {
    uSun: { value: SUN.clone() },
    uSunlight: { value: new Color() },
    uAbove: { value: new Color() },
    uBelow: { value: new Color() },
  };
}

const LIT = `
  uniform vec3 uSun, uSunlight, uAbove, uBelow;
  vec3 lit(vec3 base, vec3 normal) {
    vec3 air = mix(uBelow, uAbove, 0.5 + 0.5 * normal.z);
    vec3 c = base * (air + uSunlight * max(0.0, dot(normal, uSun)));
    return sqrt(c / (1.0 + 0.18 * c));
  }
`;

/** Solids: instances of a surface, or copies of it in one whose matrices and colours are in a texture (batch.ts). */
export function plainSolid(light: PlainLight, matrices: DataTexture | null = null): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { ...light, uMatrices: { value: matrices } },
    defines: matrices ? { COPIES: "" } : {},
    vertexShader: `
      ${LIT}
      varying vec3 vColour;
      #ifdef COPIES
        attribute float copy;
        uniform highp sampler2D uMatrices;
      #endif
      void main() {
        mat4 place = modelMatrix;
        vec3 base = vec3(0.3);
        #ifdef COPIES
          int k = 4 * int(copy);
          ivec2 at = ivec2(k & 1023, k >> 10);
          vec4 a = texelFetch(uMatrices, at, 0), b = texelFetch(uMatrices, at + ivec2(1, 0), 0);
          vec4 c = texelFetch(uMatrices, at + ivec2(2, 0), 0), d = texelFetch(uMatrices, at + ivec2(3, 0), 0);
          base = vec3(a.w, b.w, c.w);
          place = mat4(vec4(a.xyz, 0.0), vec4(b.xyz, 0.0), vec4(c.xyz, 0.0), d);
        #endif
        #ifdef USE_INSTANCING
          place = instanceMatrix;
        #endif
        #ifdef USE_INSTANCING_COLOR
          base = instanceColor.rgb;
        #endif
        mat3 turn = mat3(place);
        vec3 n = turn * (normal / vec3(dot(turn[0], turn[0]), dot(turn[1], turn[1]), dot(turn[2], turn[2])));
        vColour = lit(base, normalize(n));
        gl_Position = projectionMatrix * (viewMatrix * (place * vec4(position, 1.0)));
      }`,
    fragmentShader: `
      varying vec3 vColour;
      void main() { gl_FragColor = vec4(vColour, 1.0); }`,
  });
}

/** A surface of its own, seen from both sides. */
export function plainSurface(light: PlainLight, colour: Color): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { ...light, uColour: { value: colour } },
    side: DoubleSide,
    vertexShader: `
      ${LIT}
      uniform vec3 uColour;
      varying vec3 vColour;
      void main() {
        vec3 n = dot(normal, cameraPosition - position) < 0.0 ? -normal : normal;
        vColour = lit(uColour, n);
        gl_Position = projectionMatrix * (viewMatrix * vec4(position, 1.0));
      }`,
    fragmentShader: `
      varying vec3 vColour;
      void main() { gl_FragColor = vec4(vColour, 1.0); }`,
  });
}

/** A floor in even light; one look at how large a pixel is serves both grids. */
export function plainFloor(light: PlainLight, ground: Ground["uniforms"], colour: { value: Color }): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { ...light, ...ground, uFloor: colour },
    vertexShader: `
      ${LIT}
      uniform vec3 uFloor;
      varying vec3 vColour; varying vec2 vPlane; varying float vAway;
      void main() {
        vec4 p = instanceMatrix * vec4(position, 1.0);
        vec4 eye = viewMatrix * p;
        vPlane = position.xy;
        vAway = length(eye.xyz);
        vColour = lit(uFloor, normalize(mat3(instanceMatrix) * normal));
        gl_Position = projectionMatrix * eye;
      }`,
    fragmentShader: `
      varying vec3 vColour; varying vec2 vPlane; varying float vAway;
      uniform float uStep, uFade, uGrid; uniform vec3 uHaze, uLine;
      ${GRID}
      void main() {
        vec3 c = mix(vColour, sqrt(uLine), uGrid * gridLines(vPlane, uStep, 0.16, 0.24));
        gl_FragColor = vec4(mix(c, sqrt(uHaze), smoothstep(0.15, 1.0, vAway / uFade)), 1.0);
      }`,
  });
}
