// A page that is only a picture, for `gelenk snapshot`: no panels, fine pixels, and the camera where the address says.
import { Vector3 } from "three";
import type { Stage } from "./stage";

const SIDES: Record<string, [number, number, number]> = {
  front: [0, -1, 0], back: [0, 1, 0], right: [1, 0, 0], left: [-1, 0, 0], top: [0, -1e-4, 1], bottom: [0, -1e-4, -1],
};
const FINE = 2; // pixels drawn a pixel of the picture, along each side

/** Reads `#picture&camera=front` or `#picture&camera=4,-3,2:0,0,0`; returns what to do once the scene is seen. */
export function pictureMode(stage: Stage): () => void {
  const words = new URLSearchParams(location.hash.slice(1));
  if (!words.has("picture")) return () => {};
  document.body.classList.add("picture");
  const camera = words.get("camera") ?? "";
  let done = false;
  return () => {
    if (done) return;
    done = true;
    const canvas = stage.renderer.domElement;
    stage.quality.sharpen(true);
    stage.quality.fixed = true;
    stage.renderer.setPixelRatio(FINE);
    stage.renderer.setSize(canvas.clientWidth, canvas.clientHeight);
    const target = stage.controls.target;
    const side = SIDES[camera];
    const [eye, at] = camera.split(":").map((part) => part.split(",").map(Number));
    if (side) {
      const away = stage.controls.object.position.distanceTo(target);
      stage.controls.object.position.set(...side).setLength(away).add(target);
    } else if (eye?.length === 3 && eye.every(Number.isFinite)) {
      if (at?.length === 3 && at.every(Number.isFinite)) target.copy(new Vector3(...at));
      stage.controls.object.position.set(eye[0], eye[1], eye[2]);
    }
    stage.controls.update();
    stage.refresh();
  };
}
