import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Why a connection was cut: nothing was taken for the idle time, or too little on average. */
export type CutReason = "idle" | "slow";

/** What a reader has to take on average after an idle time; as for parts (part-body.ts). */
const averageBytesPerSecondMin = 16_384;
const looksPerIdleTime = 8;

interface Waiting {
  taken: number;
  /** When bytes were last taken, or there was nothing to take. */
  progressMs: number;
  /** Bytes the reader may still be behind; grows with what it takes, up to what it begins with. */
  credit: number;
}

/**
 * Gives replies up that nobody reads, whatever they are (T55): looks at every connection a few
 * times in the idle time. Only what waits for the client counts: a reply that is being made waits
 * for nobody. Bytes count when the system has taken a piece whole, so what is large is written in
 * pieces (reply-body.ts).
 */
export class UnreadReplies {
  readonly #idleMs: number;
  readonly #onCut: (reason: CutReason) => void;
  readonly #connections = new Map<Socket, Waiting>();
  readonly #cut = new WeakMap<Socket, CutReason>();
  #looks: NodeJS.Timeout | undefined;
  #lookedMs = 0;

  constructor(idleMs: number, onCut: (reason: CutReason) => void = () => {}) {
    this.#idleMs = idleMs;
    this.#onCut = onCut;
  }

  watch(server: Server): void {
    server.on("connection", (socket) => this.#add(socket));
  }

  /** Why the connection was cut, if it was. */
  reasonOf(socket: Socket): CutReason | undefined {
    return this.#cut.get(socket);
  }

  #add(socket: Socket): void {
    this.#connections.set(socket, this.#fresh(socket));
    socket.once("close", () => {
      this.#connections.delete(socket);
      if (this.#connections.size > 0) return;
      clearInterval(this.#looks);
      this.#looks = undefined;
    });
    if (this.#looks !== undefined) return;
    this.#lookedMs = performance.now();
    this.#looks = setInterval(() => this.#look(), this.#lookMs).unref();
  }

  #fresh(socket: Socket): Waiting {
    const credit = (averageBytesPerSecondMin * this.#idleMs) / 1_000;
    return { taken: takenBytes(socket), progressMs: performance.now(), credit };
  }

  #look(): void {
    const nowMs = performance.now();
    // A process that stood still itself has not waited for anybody.
    const elapsedMs = Math.min(nowMs - this.#lookedMs, 2 * this.#lookMs);
    this.#lookedMs = nowMs;
    for (const [socket, waiting] of this.#connections) {
      const reason = this.#judge(socket, waiting, nowMs, elapsedMs);
      if (reason === undefined) continue;
      this.#cut.set(socket, reason);
      this.#onCut(reason);
      // A reset: else the system goes on to keep what was written, and to offer it.
      socket.resetAndDestroy();
    }
  }

  #judge(
    socket: Socket,
    waiting: Waiting,
    nowMs: number,
    elapsedMs: number,
  ): CutReason | undefined {
    const fresh = this.#fresh(socket);
    if (socket.writableLength === 0) {
      Object.assign(waiting, fresh);
      return undefined;
    }
    const more = fresh.taken - waiting.taken;
    const owed = (averageBytesPerSecondMin * elapsedMs) / 1_000;
    waiting.taken = fresh.taken;
    waiting.credit = Math.min(fresh.credit, waiting.credit + more - owed);
    if (more > 0) waiting.progressMs = nowMs;
    if (nowMs - waiting.progressMs >= this.#idleMs) return "idle";
    return waiting.credit < 0 ? "slow" : undefined;
  }

  get #lookMs(): number {
    return this.#idleMs / looksPerIdleTime;
  }
}

/** What the system took of what was written. */
function takenBytes(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
