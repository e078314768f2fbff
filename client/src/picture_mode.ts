// A page that is only a picture, for `gelenk snapshot`: no panels and fine pixels.
import type { Stage } from "./stage";

const FINE = 2; // pixels drawn a pixel of the picture, along each side

/** Reads `#picture`; returns what to do once the scene is seen. */
export function pictureMode(stage: Stage): () => void {
  if (!new URLSearchParams(location.hash.slice(1)).has("picture")) return () => {};
  document.body.classList.add("picture");
  let done = false;
  return () => {
    if (done) return;
    done = true;
    const canvas = stage.renderer.domElement;
    stage.quality.sharpen(true);
    stage.quality.fixed = true;
    stage.renderer.setPixelRatio(FINE);
    stage.renderer.setSize(canvas.clientWidth, canvas.clientHeight);
    stage.refresh();
  };
}
