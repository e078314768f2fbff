// Frames, as src/gelenk/view/frame.py packs them.
const MAGIC = 0x314b4c47;
const HEAD = 24;
export const ROW = 7; // numbers a node: position, quaternion w x y z
export const PLAYING = 1;

export interface Section {
  kind: number;
  start: number;
  length: number;
}

export interface Frame {
  sequence: number;
  time: number;
  count: number;
  flags: number;
  scene: number;
  poses: Float32Array;
  sections: Section[];
  data: ArrayBuffer;
}

/** A frame, or null if it is none. Nothing is copied. */
export function readFrame(data: ArrayBuffer): Frame | null {
  if (data.byteLength < HEAD) return null;
  const view = new DataView(data);
  const count = view.getUint32(16, true);
  const end = HEAD + 4 * ROW * count;
  if (view.getUint32(0, true) !== MAGIC || end > data.byteLength) return null;
  const sections: Section[] = [];
  for (let place = end; place + 8 <= data.byteLength; ) {
    const length = view.getUint32(place + 4, true);
    sections.push({ kind: view.getUint32(place, true), start: place + 8, length });
    place += 8 + length + ((4 - (length % 4)) % 4);
  }
  return {
    sequence: view.getUint32(4, true),
    time: view.getFloat64(8, true),
    count,
    flags: view.getUint16(20, true),
    scene: view.getUint16(22, true),
    poses: new Float32Array(data, HEAD, ROW * count),
    sections,
    data,
  };
}
