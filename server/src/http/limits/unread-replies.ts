import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Reason for cutting a connection: nothing was taken for the idle time, or too little on average.
 */
export type CutReason = "idle" | "slow";

/**
 * Bytes a second that a reader has to take on average after an idle time; as for parts
 * (part-body.ts).
 */
const averageBytesPerSecondMin = 16_384;
const looksPerIdleTime = 8;

interface Waiting {
  taken: number;
  /** Time at which bytes were last taken, or there was nothing to take. */
  progressMs: number;
  /**
   * Bytes that the reader may still be behind; grows with the bytes that it takes, up to the
   * initial credit.
   */
  credit: number;
}

/**
 * Gives up replies that are not read, of any kind (T55): checks every connection a few times in the
 * idle time. Only bytes that wait for the client count: a reply that is still being made waits for
 * no client. Bytes count when the system has taken a piece whole, so large replies are written in
 * pieces (replies.ts).
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

  /** Returns the reason for which the connection was cut, if it was. */
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
    // A process that itself stood still has not been waiting for clients.
    const elapsedMs = Math.min(nowMs - this.#lookedMs, 2 * this.#lookMs);
    this.#lookedMs = nowMs;
    for (const [socket, waiting] of this.#connections) {
      const reason = this.#judge(socket, waiting, nowMs, elapsedMs);
      if (reason === undefined) continue;
      this.#cut.set(socket, reason);
      this.#onCut(reason);
      // A reset: otherwise the system would keep the written bytes, and go on offering them.
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

/** Returns the number of written bytes that the system has taken. */
function takenBytes(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
