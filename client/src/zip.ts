// Files in one: a zip archive that only stores them. Pictures are compressed already.

export interface Stored {
  name: string; // letters of ASCII
  data: Uint8Array<ArrayBuffer>;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** The check sum of zip files. */
export function crc32(data: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of data) c = TABLE[(c ^ byte) & 0xff] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** The archive: before each file a local head, at the end the list of all, then where that list is. */
export function zip(files: Stored[]): Blob {
  const parts: BlobPart[] = [];
  const list: BlobPart[] = [];
  let place = 0;
  let listed = 0;
  for (const { name, data } of files) {
    const called = new TextEncoder().encode(name);
    const common = (sum: number) => [20, 0, 0, 0, 0x21, sum, data.length, data.length, called.length, 0]; // 1 January 1980
    const sum = crc32(data);
    const local = bytes([0x04034b50, ...common(sum)], [4, 2, 2, 2, 2, 2, 4, 4, 4, 2, 2]);
    const entry = bytes(
      [0x02014b50, 20, ...common(sum), 0, 0, 0, 0, place],
      [4, 2, 2, 2, 2, 2, 2, 4, 4, 4, 2, 2, 2, 2, 2, 4, 4],
    );
    parts.push(local, called, data);
    list.push(entry, called);
    place += local.length + called.length + data.length;
    listed += entry.length + called.length;
  }
  const end = bytes([0x06054b50, 0, 0, files.length, files.length, listed, place, 0], [4, 2, 2, 2, 2, 4, 4, 2]);
  return new Blob([...parts, ...list, end], { type: "application/zip" });
}

/** Numbers of so many bytes each, the low byte first. */
function bytes(numbers: number[], sizes: number[]): Uint8Array<ArrayBuffer> {
  const made = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
  const view = new DataView(made.buffer);
  let place = 0;
  numbers.forEach((number, k) => {
    if (sizes[k] === 2) view.setUint16(place, number, true);
    else view.setUint32(place, number, true);
    place += sizes[k];
  });
  return made;
}
