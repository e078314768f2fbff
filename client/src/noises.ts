// Noises and hits, made here: white noise behind a filter, and low blows that die away.
const LOUDEST = 0.5;
const SOFT = 0.05; // time in which loudness and cut-off follow [s]

interface Voice {
  filter: BiquadFilterNode;
  gain: GainNode;
}

export class Noises {
  private readonly voices = new Map<string, Voice>();
  private readonly struck = new Map<string, number>();
  private hiss: AudioBuffer | null = null;
  hits = 0; // sounded so far, for tests

  constructor(private readonly context: AudioContext) {}

  /** Cut-off [Hz], volume and sharpness by name. */
  play(noises: Record<string, [number, number, number]>, on: boolean): void {
    const now = this.context.currentTime;
    for (const [name, [cutoff, volume, sharpness]] of Object.entries(noises)) {
      const { filter, gain } = this.voice(name, sharpness);
      filter.frequency.setTargetAtTime(cutoff, now, SOFT);
      gain.gain.setTargetAtTime(on ? LOUDEST * volume * volume : 0, now, SOFT); // as loudness is heard
    }
  }

  /** What was struck since the last look sounds; what was struck before anyone listened does not. */
  strike(hits: Record<string, [number, number, number, number]>, on: boolean): void {
    for (const [name, [count, loudness, pitch, length]] of Object.entries(hits)) {
      const before = this.struck.get(name);
      this.struck.set(name, count);
      if (before === undefined || count <= before || !on) continue;
      this.blow(loudness, pitch, length);
      this.hits += 1;
    }
  }

  private voice(name: string, sharpness: number): Voice {
    const known = this.voices.get(name);
    if (known) return known;
    const { context } = this;
    const source = new AudioBufferSourceNode(context, { buffer: this.noise(), loop: true });
    const filter = new BiquadFilterNode(context, {
      type: sharpness > 0 ? "bandpass" : "lowpass", Q: sharpness > 0 ? sharpness : 0.7, frequency: 300,
    });
    const gain = new GainNode(context, { gain: 0 });
    source.connect(filter).connect(gain).connect(context.destination);
    source.start(0, (this.voices.size * 0.37) % 1); // so that two of them are not one
    const made = { filter, gain };
    this.voices.set(name, made);
    return made;
  }

  /** A falling tone with a thud of noise in front of it. */
  private blow(loudness: number, pitch: number, length: number): void {
    const { context } = this;
    const now = context.currentTime;
    const out = new GainNode(context, { gain: 0 });
    out.gain.setValueAtTime(1.6 * LOUDEST * loudness, now);
    out.gain.exponentialRampToValueAtTime(1e-3, now + length);
    const body = new OscillatorNode(context, { type: "sine", frequency: 1.8 * pitch });
    body.frequency.exponentialRampToValueAtTime(0.7 * pitch, now + length);
    const thud = new AudioBufferSourceNode(context, { buffer: this.noise() });
    const dull = new BiquadFilterNode(context, { type: "lowpass", frequency: 6 * pitch });
    body.connect(out);
    thud.connect(dull).connect(out);
    out.connect(context.destination);
    body.start(now);
    thud.start(now);
    for (const part of [body, thud]) part.stop(now + length);
    body.onended = () => out.disconnect();
  }

  private noise(): AudioBuffer {
    if (this.hiss) return this.hiss;
    const seconds = 2;
    const made = this.context.createBuffer(1, seconds * this.context.sampleRate, this.context.sampleRate);
    const to = made.getChannelData(0);
    for (let i = 0; i < to.length; i++) to[i] = 2 * Math.random() - 1;
    this.hiss = made;
    return made;
  }
}
