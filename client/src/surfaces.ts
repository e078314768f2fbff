// Surfaces of the shapes, with axes and origins as Gelenk has them: round shapes stand along z.
import {
  Box3,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  ConeGeometry,
  CylinderGeometry,
  OctahedronGeometry,
  PlaneGeometry,
  Sphere,
  SphereGeometry,
  TorusGeometry,
  Vector3,
} from "three";
import { mergeVertices, toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import { blob, Cut } from "./blobs";
import { markEdges } from "./edges";
import type { Geometry } from "./messages";
import { normals } from "./normals";
import { note } from "./notes";
import { hasSoftwareOnly } from "./quality";

const PLANE = 400; // edge of what is drawn of a plane [m]
const SIDES = 32;

export function surfaceOf(told: Geometry, many: boolean, changed: () => void = () => {}): BufferGeometry {
  const sides = many ? (hasSoftwareOnly() ? 8 : 16) : SIDES;
  switch (told.shape) {
    case "sphere":
      return many && hasSoftwareOnly() ? fewCornered() : new SphereGeometry(1, sides, sides / 2).rotateX(Math.PI / 2);
    case "box":
      return markEdges(new BoxGeometry(1, 1, 1), "box");
    case "cylinder":
      return markEdges(new CylinderGeometry(1, 1, 1, sides).rotateX(Math.PI / 2), "cylinder");
    case "cone": // stands on z = 0
      return markEdges(new ConeGeometry(1, 1, sides).rotateX(Math.PI / 2).translate(0, 0, 0.5), "cone");
    case "capsule":
      return new CapsuleGeometry(1, told.sizes[0], Math.max(3, sides / 4), sides, 1).rotateX(Math.PI / 2);
    case "torus":
      return new TorusGeometry(1, told.sizes[0], sides / 2, 1.5 * sides);
    case "plane":
      return new PlaneGeometry(PLANE, PLANE);
    case "triangles":
      return told.blob ? large(told, changed) : triangles(told);
  }
}

/** A ball of 18 corners; its shading is smooth all the same. */
function fewCornered(): BufferGeometry {
  const ball = new OctahedronGeometry(1, 1).deleteAttribute("uv").deleteAttribute("normal");
  const made = mergeVertices(ball);
  made.setAttribute("normal", made.getAttribute("position").clone());
  return made;
}

/** A large surface: it is there once it was fetched, smooth all over; the box around it is known before. */
function large(told: Geometry, changed: () => void): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(0), 3));
  geometry.boundingBox = new Box3(new Vector3(...told.low), new Vector3(...told.high));
  geometry.boundingSphere = geometry.boundingBox.getBoundingSphere(new Sphere());
  const box = geometry.boundingBox.clone();
  geometry.computeBoundingBox = () => geometry.boundingBox?.copy(box);
  void blob(told.blob).then((data) => {
    const cut = new Cut(data);
    const points = cut.f32(3 * told.corners);
    const faces = cut.u32(data.byteLength / 4 - points.length);
    const normal = new Float32Array(points.length);
    normals(points, faces, normal);
    geometry.setAttribute("position", new BufferAttribute(points, 3));
    geometry.setAttribute("normal", new BufferAttribute(normal, 3));
    geometry.setIndex(new BufferAttribute(faces, 1));
    changed();
  }).catch((error) => note(String(error.message ?? error)));
  return geometry;
}

function triangles(told: Geometry): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(bytes(told.vertices)), 3));
  geometry.setIndex(new BufferAttribute(new Uint32Array(bytes(told.faces)), 1));
  return toCreasedNormals(geometry, (told.crease * Math.PI) / 180);
}

export function bytes(text: string): ArrayBuffer {
  const raw = atob(text);
  const made = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) made[i] = raw.charCodeAt(i);
  return made.buffer;
}
