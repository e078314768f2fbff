// Two eyes for one camera: side by side, for projectors and headsets that show each half to one eye, or red and cyan.
//
// Both look the same way, a little apart, and see through the same window: the frustum of each is moved so that what is as
// far away as the point that the camera looks at is at the same place in both pictures.
import { PerspectiveCamera, Vector3, type WebGLRenderer } from "three";

export type Stereo = "off" | "side" | "anaglyph";
export const STEREO: Record<Stereo, string> = { off: "Off", side: "Side by side", anaglyph: "Red and cyan" };
const APART = 1 / 30; // distance between the eyes, of the distance to what is looked at

const eye = new PerspectiveCamera();
eye.matrixAutoUpdate = false;
const side = new Vector3();

/** The camera of the left (-1) or right (+1) eye; it is used again by the next call. */
export function eyeOf(camera: PerspectiveCamera, which: -1 | 1, distance: number): PerspectiveCamera {
  const half = 0.5 * APART * distance;
  eye.matrix.copy(camera.matrix);
  side.setFromMatrixColumn(camera.matrix, 0).multiplyScalar(which * half);
  eye.matrix.elements[12] += side.x;
  eye.matrix.elements[13] += side.y;
  eye.matrix.elements[14] += side.z;
  eye.matrix.decompose(eye.position, eye.quaternion, eye.scale);
  eye.updateMatrixWorld(true);
  eye.near = camera.near;
  eye.far = camera.far;
  eye.projectionMatrix.copy(camera.projectionMatrix);
  eye.projectionMatrix.elements[8] -= (which * half * camera.projectionMatrix.elements[0]) / distance;
  eye.projectionMatrixInverse.copy(eye.projectionMatrix).invert();
  return eye;
}

/** Draw with some of the colours alone: the red ones for the left eye, the others for the right one. */
export function masked(renderer: WebGLRenderer, which: -1 | 1, draw: () => void): void {
  const colours = renderer.state.buffers.color;
  const gl = renderer.getContext();
  gl.colorMask(which < 0, which > 0, which > 0, true);
  colours.setLocked(true); // the materials would set it back
  draw();
  colours.setLocked(false);
  gl.colorMask(true, true, true, true);
}
