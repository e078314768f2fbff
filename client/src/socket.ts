// The line to the simulation: connects, says hello, comes back by itself after a break.
import { PROTOCOL, type FromPage, type ToPage } from "./messages";

const FIRST_WAIT = 300; // before the first new attempt [ms]
const LONGEST_WAIT = 5000;
const REPLACED = 4001; // the code of a line that another page took by the same key
const SILENCE = 8000; // without a word from the other side the line is taken for dead [ms]

export type LinkState = "connecting" | "connected" | "lost";

export class Link {
  state: LinkState = "connecting";
  onFrame: (data: ArrayBuffer) => void = () => {};
  onMessage: (message: ToPage) => void = () => {};
  onState: (state: LinkState) => void = () => {};
  connections = 0;

  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;
  private timer = 0;
  private heard = 0;
  private key = ownKey();

  start(): void {
    setInterval(() => this.watch(), 2000);
    window.addEventListener("online", () => this.again());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.state !== "connected") this.again();
    });
    this.connect();
  }

  send(message: FromPage): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Break the line as a bad network would; it comes back by itself. */
  drop(): void {
    this.socket?.close();
  }

  private connect(): void {
    clearTimeout(this.timer);
    const address = new URL("ws" + location.search, location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.heard = performance.now();
    socket.onopen = () => this.send({ kind: "hello", protocol: PROTOCOL, key: this.key });
    socket.onmessage = (event) => {
      if (socket === this.socket) this.hear(event.data);
    };
    socket.onclose = (event) => {
      if (socket !== this.socket) return;
      if (event.code === REPLACED) this.key = newKey(); // a copy of this page lives: both would take turns for ever
      this.lost();
    };
  }

  private hear(data: string | ArrayBuffer): void {
    this.heard = performance.now();
    if (typeof data !== "string") {
      this.onFrame(data);
      return;
    }
    const message = JSON.parse(data) as ToPage;
    if (message.kind === "welcome") {
      this.wait = FIRST_WAIT;
      this.connections += 1;
      this.become("connected");
    }
    this.onMessage(message);
  }

  private lost(): void {
    this.socket = null;
    this.become("lost");
    this.timer = window.setTimeout(() => this.connect(), this.wait * (0.75 + 0.5 * Math.random()));
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }

  private again(): void {
    if (this.socket !== null) return;
    this.wait = FIRST_WAIT;
    this.connect();
  }

  /** A line that a closed lid has cut does not say so: ask, and give it up where no answer comes. */
  private watch(): void {
    const silent = performance.now() - this.heard;
    if (this.state !== "connected" || silent < 2000) return;
    if (silent < SILENCE) {
      this.send({ kind: "ping" });
      return;
    }
    const socket = this.socket;
    this.lost();
    socket?.close();
  }

  private become(state: LinkState): void {
    this.state = state;
    this.onState(state);
  }
}

/** Tells this page from others when it comes back; kept over a reload. */
function ownKey(): string {
  try {
    const kept = sessionStorage.getItem("gelenk-key");
    return kept || newKey();
  } catch {
    return "";
  }
}

function newKey(): string {
  try {
    const made = Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
    sessionStorage.setItem("gelenk-key", made);
    return made;
  } catch {
    return "";
  }
}
