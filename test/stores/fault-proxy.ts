import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { drained } from "../drained.ts";

/** Faults of one direction, read for every piece: a test can change them at any time. */
export interface Conditions {
  /** Each byte arrives so much later; the throughput stays. */
  latencyMs?: number;
  bytesPerSecond?: number;
  /** A connection is reset when so many of its bytes have passed in this direction. */
  resetAfterBytes?: number;
  /** Bytes are taken and not delivered, as in a cut network. They arrive when it is taken back. */
  blackHole?: boolean;
}

const pieceMs = 20;
const maxQueuedBytes = 4 * 2 ** 20;

/**
 * A TCP proxy on loopback in front of a store, a database or the service itself, which makes the
 * network bad on command. It knows nothing of what passes.
 */
export class FaultProxy implements AsyncDisposable {
  toServer: Conditions = {};
  toClient: Conditions = {};
  /** New connections are reset at once. */
  refusing = false;
  /** Connections so far. */
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(host: string, port: number) {
    this.#server = createServer({ allowHalfOpen: true }, (client) => {
      this.connections += 1;
      if (this.refusing) return reset(client);
      const server = connect({ host, port, allowHalfOpen: true });
      this.#track(client, server);
      this.#track(server, client);
      forward(client, server, () => this.toServer);
      forward(server, client, () => this.toClient);
    });
  }

  /** In front of an endpoint such as `http://127.0.0.1:9000`. */
  static async start(endpoint: string): Promise<FaultProxy> {
    const { hostname, port } = new URL(endpoint);
    const proxy = new FaultProxy(hostname, Number(port));
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * The address that clients use instead. A signature covers it: they have to sign for this
   * address.
   */
  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Ends all connections at once; new ones may come. */
  resetAll(): void {
    for (const socket of this.#sockets) reset(socket);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.resetAll();
    await closed;
  }

  /** The end of one side is the end of the other, in the same manner. */
  #track(socket: Socket, other: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => reset(other));
    socket.on("close", () => {
      this.#sockets.delete(socket);
      if (!socket.readableEnded) reset(other);
    });
  }
}

/**
 * A socket that is being shut down cannot be reset any more: node would keep its handle, and wait
 * at the end of the process for ever until it is closed.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** Takes bytes as they come and delivers them when they are due. */
function forward(from: Socket, to: Socket, conditions: () => Conditions): void {
  const queue: { piece: Buffer; dueMs: number }[] = [];
  let queuedBytes = 0;
  let wake = () => {};
  from.on("data", (piece: Buffer) => {
    queue.push({ piece, dueMs: performance.now() + (conditions().latencyMs ?? 0) });
    queuedBytes += piece.length;
    if (queuedBytes > maxQueuedBytes) from.pause();
    wake();
  });
  from.on("end", () => wake());
  to.on("close", () => wake());

  void (async () => {
    let passedBytes = 0;
    while (!to.destroyed) {
      const next = queue.shift();
      if (next === undefined) {
        if (from.readableEnded) return void to.end();
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      await sleep(Math.max(0, next.dueMs - performance.now()));
      for (const piece of portions(next.piece, conditions, () => passedBytes)) {
        while (conditions().blackHole === true && !to.destroyed) await sleep(pieceMs);
        if (to.destroyed) return;
        if (!to.write(piece)) await drained(to);
        passedBytes += piece.length;
        if (passedBytes >= (conditions().resetAfterBytes ?? Infinity)) reset(to);
        const { bytesPerSecond } = conditions();
        if (bytesPerSecond) await sleep((piece.length / bytesPerSecond) * 1_000);
      }
      queuedBytes -= next.piece.length;
      if (queuedBytes <= maxQueuedBytes && from.isPaused()) from.resume();
    }
  })();
}

/** As much passes at once as a slow line's share of a moment, and nothing behind a reset's byte. */
function* portions(
  bytes: Buffer,
  conditions: () => Conditions,
  passedBytes: () => number,
): Generator<Buffer> {
  for (let offset = 0; offset < bytes.length;) {
    const { bytesPerSecond = Infinity, resetAfterBytes = Infinity } = conditions();
    const share = Math.max(1, Math.floor((bytesPerSecond * pieceMs) / 1_000));
    const length = Math.max(1, Math.min(share, resetAfterBytes - passedBytes()));
    yield bytes.subarray(offset, offset + length);
    offset += length;
  }
}
