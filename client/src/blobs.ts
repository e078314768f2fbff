// Large arrays, fetched once under the hash of what is in them.
const kept = new Map<string, Promise<ArrayBuffer>>();

/** How long fetching took in all [ms], and how much it was [bytes]. */
export const fetched = { ms: 0, bytes: 0 };

export function blob(key: string): Promise<ArrayBuffer> {
  const known = kept.get(key);
  if (known) return known;
  const made = load(key);
  kept.set(key, made);
  made.catch(() => kept.delete(key)); // the next one may try again
  return made;
}

async function load(key: string): Promise<ArrayBuffer> {
  const begun = performance.now();
  const answer = await fetch(`blob/${key}${location.search}`);
  if (!answer.ok) throw new Error(`the numbers of a surface could not be fetched (${answer.status})`);
  const data = await answer.arrayBuffer();
  fetched.ms += performance.now() - begun;
  fetched.bytes += data.byteLength;
  return data;
}

/** Reads arrays one after the other. */
export class Cut {
  private place = 0;

  constructor(private readonly data: ArrayBuffer) {}

  f32(n: number): Float32Array { return new Float32Array(this.data, this.step(4 * n), n); }
  u32(n: number): Uint32Array { return new Uint32Array(this.data, this.step(4 * n), n); }
  i16(n: number): Int16Array { return new Int16Array(this.data, this.step(2 * n), n); }
  u8(n: number): Uint8Array { return new Uint8Array(this.data, this.step(n), n); }

  private step(bytes: number): number {
    const from = this.place;
    this.place += bytes + ((4 - (bytes % 4)) % 4);
    return from;
  }
}
