// The sky: a calm gradient from the horizon up, light or dark as the desktop is.
import { BackSide, Color, Mesh, ShaderMaterial, SphereGeometry, Vector3 } from "three";
import type { Shine } from "./surroundings";

export const SUN = new Vector3(0.45, -0.5, 0.95).normalize(); // whence its light comes

export interface Tones {
  zenith: string;
  horizon: string;
  below: string;
  line: string;
  sun: number;
  sky: number;
}

export const LIGHT: Tones = {
  zenith: "#9dbbd8",
  horizon: "#e9eff4",
  below: "#dfe5ea",
  line: "#5b6b7c",
  sun: 2.2,
  sky: 1.75,
};
export const DARK: Tones = {
  zenith: "#0e1520",
  horizon: "#26323f",
  below: "#1c252f",
  line: "#7e91a5",
  sun: 1.9,
  sky: 1.15,
};

export function skyDome(): Mesh<SphereGeometry, ShaderMaterial> {
  const material = new ShaderMaterial({
    side: BackSide,
    depthWrite: false,
    uniforms: {
      zenith: { value: new Color() }, horizon: { value: new Color() }, below: { value: new Color() },
      sun: { value: SUN.clone() }, shine: { value: new Color() }, glow: { value: 0 }, stars: { value: 0 },
    },
    vertexShader: `
      uniform vec3 zenith, horizon, below;
      varying vec3 vColour, vWay;
      void main() {
        vWay = position;
        float up = normalize(position).z;
        vec3 c = mix(horizon, zenith, pow(clamp(up, 0.0, 1.0), 0.6));
        vColour = mix(c, below, 1.0 - smoothstep(-0.25, 0.0, up));
        gl_Position = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0);
        gl_Position.z = 0.999999 * gl_Position.w; // behind all, so that only what is seen of it is coloured
      }`,
    fragmentShader: `
      varying vec3 vColour, vWay;
      uniform vec3 sun, shine;
      uniform float glow, stars;
      float chance(vec3 p) { return fract(sin(dot(p, vec3(12.9898, 78.233, 37.719))) * 43758.5453); }
      void main() {
        vec3 c = vColour;
        if (glow > 0.0) {
          vec3 way = normalize(vWay);
          float near = max(0.0, dot(way, sun));
          c += glow * shine * (0.18 * pow(near, 12.0) + 0.35 * pow(near, 160.0) + 4.0 * smoothstep(0.99985, 0.99993, near));
        }
        if (stars > 0.0) { // one in some cells of a grid on the sphere
          vec3 way = normalize(vWay);
          vec3 cell = floor(way * 90.0);
          float lot = chance(cell);
          float d = length(fract(way * 90.0) - 0.5);
          c += stars * step(0.985, lot) * smoothstep(0.16, 0.02, d) * smoothstep(0.02, 0.25, way.z) * (0.3 + 0.7 * chance(cell + 7.0));
        }
        gl_FragColor = vec4(c, 1.0);
        #include <colorspace_fragment>
      }`,
  });
  const dome = new Mesh(new SphereGeometry(10, 24, 60).rotateX(Math.PI / 2), material);
  dome.frustumCulled = false;
  dome.renderOrder = 1;
  return dome;
}

export function paintSky(dome: Mesh<SphereGeometry, ShaderMaterial>, shine: Shine): void {
  const { tones, toward, sunColour, glow, stars } = shine;
  const { uniforms } = dome.material;
  uniforms.zenith.value.set(tones.zenith);
  uniforms.horizon.value.set(tones.horizon);
  uniforms.below.value.set(tones.below);
  uniforms.sun.value.copy(toward);
  uniforms.shine.value.copy(sunColour);
  uniforms.glow.value = glow;
  uniforms.stars.value = stars;
}
