// The sky: a calm gradient from the horizon up, light or dark as the desktop is.
import { BackSide, Color, Mesh, ShaderMaterial, SphereGeometry, Vector3 } from "three";

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
    uniforms: { zenith: { value: new Color() }, horizon: { value: new Color() }, below: { value: new Color() } },
    vertexShader: `
      uniform vec3 zenith, horizon, below;
      varying vec3 vColour;
      void main() {
        float up = normalize(position).z;
        vec3 c = mix(horizon, zenith, pow(clamp(up, 0.0, 1.0), 0.6));
        vColour = mix(c, below, 1.0 - smoothstep(-0.25, 0.0, up));
        gl_Position = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0);
        gl_Position.z = 0.999999 * gl_Position.w; // behind all, so that only what is seen of it is coloured
      }`,
    fragmentShader: `
      varying vec3 vColour;
      void main() {
        gl_FragColor = vec4(vColour, 1.0);
        #include <colorspace_fragment>
      }`,
  });
  const dome = new Mesh(new SphereGeometry(10, 24, 60).rotateX(Math.PI / 2), material);
  dome.frustumCulled = false;
  dome.renderOrder = 1;
  return dome;
}

export function paintSky(dome: Mesh<SphereGeometry, ShaderMaterial>, tones: Tones): void {
  dome.material.uniforms.zenith.value.set(tones.zenith);
  dome.material.uniforms.horizon.value.set(tones.horizon);
  dome.material.uniforms.below.value.set(tones.below);
}
