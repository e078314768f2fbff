// What a model gives to hear and to feel: tones made here, rich in overtones as an engine is, and the gamepad's vibration.
import { gamepads } from "./inputs";
import type { Outputs } from "./messages";
import { Noises } from "./noises";

const LOUDEST = 0.25;
const PULSE = 200; // a vibration lasts so long, and is renewed while it is asked for [ms]
const SOFT = 0.04; // time in which pitch and volume follow [s]

interface Voice {
  strings: OscillatorNode[];
  filter: BiquadFilterNode;
  gain: GainNode;
}

export class Senses {
  on = localStorage.getItem("gelenk-sound") !== "off";
  private context: AudioContext | null = null;
  private readonly voices = new Map<string, Voice>();
  private newest: Outputs | null = null;
  private noises: Noises | null = null;

  constructor() {
    // a page may sound only after somebody has touched it
    for (const kind of ["pointerdown", "keydown"]) {
      window.addEventListener(kind, () => this.begin(), { capture: true });
    }
    setInterval(() => this.vibrate(), PULSE / 2);
  }

  turn(on: boolean): void {
    this.on = on;
    try {
      localStorage.setItem("gelenk-sound", on ? "on" : "off");
    } catch {
      // nothing can be kept here
    }
    this.play();
  }

  /** What sounds now, for tests: pitch and volume by name. */
  get playing(): Record<string, [number, number]> {
    const audible = this.on && this.context !== null ? (this.newest?.tones ?? {}) : {};
    return { ...audible };
  }

  /** Noises that sound now, and hits that have sounded, for tests. */
  get heard(): { noises: Record<string, [number, number, number]>; hits: number } {
    const audible = this.on && this.context !== null ? (this.newest?.noises ?? {}) : {};
    return { noises: { ...audible }, hits: this.noises?.hits ?? 0 };
  }

  hear(outputs: Outputs): void {
    this.newest = outputs;
    this.play();
  }

  /** Nobody says any more what is to be heard and felt. */
  silence(): void {
    if (!this.newest) return;
    const { tones, noises, hits } = this.newest;
    const quiet = Object.fromEntries(Object.entries(noises).map(([name, [cutoff, , sharpness]]) => [name, [cutoff, 0, sharpness] as [number, number, number]]));
    const still = Object.fromEntries(Object.keys(tones).map((name) => [name, [1, 0] as [number, number]]));
    this.hear({ kind: "outputs", tones: still, weak: 0, strong: 0, noises: quiet, hits });
  }

  private begin(): void {
    const { tones = {}, noises = {}, hits = {} } = this.newest ?? {};
    if (Object.keys({ ...tones, ...noises, ...hits }).length === 0 || !("AudioContext" in window)) return;
    this.context ??= new AudioContext();
    this.noises ??= new Noises(this.context);
    if (this.context.state === "suspended") void this.context.resume();
    this.play();
  }

  private play(): void {
    if (!this.context || !this.newest) return;
    this.noises?.play(this.newest.noises, this.on);
    this.noises?.strike(this.newest.hits, this.on);
    const now = this.context.currentTime;
    for (const [name, [pitch, volume]] of Object.entries(this.newest.tones)) {
      const voice = this.voice(name, this.context);
      voice.strings.forEach((string, k) => string.frequency.setTargetAtTime(k === 0 ? pitch : pitch / 2, now, SOFT));
      voice.filter.frequency.setTargetAtTime(Math.min(18_000, 6 * pitch + 200), now, SOFT);
      voice.gain.gain.setTargetAtTime(this.on ? LOUDEST * volume : 0, now, SOFT);
    }
  }

  private voice(name: string, context: AudioContext): Voice {
    const known = this.voices.get(name);
    if (known) return known;
    const gain = new GainNode(context, { gain: 0 });
    const filter = new BiquadFilterNode(context, { type: "lowpass", frequency: 1000 });
    const strings = (["sawtooth", "square"] as const).map((type) => new OscillatorNode(context, { type, frequency: 100 }));
    for (const string of strings) {
      string.connect(filter);
      string.start();
    }
    filter.connect(gain).connect(context.destination);
    const made = { strings, filter, gain };
    this.voices.set(name, made);
    return made;
  }

  private vibrate(): void {
    const { weak = 0, strong = 0 } = this.newest ?? {};
    if (weak <= 0 && strong <= 0) return;
    for (const pad of gamepads()) {
      const motor = pad.vibrationActuator;
      if (!motor) continue;
      const effect = { duration: PULSE, weakMagnitude: weak, strongMagnitude: strong };
      motor.playEffect("dual-rumble", effect).catch(() => {});
    }
  }
}
