import { connect, type Socket } from "node:net";

/**
 * A keep-alive connection that sends finished requests and reads whole replies, with as little work
 * as possible: the generator shares the machine with what it measures.
 */
export class Connection {
  readonly #baseUrl: string;
  #socket: Socket;
  #chunks: Buffer[] = [];
  #size = 0;
  #expected = -1;
  #settle: PromiseWithResolvers<Buffer> | undefined;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
    this.#socket = this.#open();
  }

  /** Resolves with the whole reply, head included. */
  send(request: Buffer): Promise<Buffer> {
    // The service closes one that was idle for long.
    if (this.#socket.destroyed) this.#socket = this.#open();
    this.#settle = Promise.withResolvers();
    this.#socket.write(request);
    return this.#settle.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #open(): Socket {
    const { hostname, port } = new URL(this.#baseUrl);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (error) => this.#settle?.reject(error));
    socket.on("close", () => this.#settle?.reject(new Error("the connection was closed")));
    return socket;
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#expected < 0)
      this.#expected = wholeSize(this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks));
    if (this.#expected < 0 || this.#size < this.#expected) return;
    const reply = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#size = 0;
    this.#expected = -1;
    this.#settle?.resolve(reply);
  }
}

/** Bytes of head and body; -1 while the head is not complete. */
function wholeSize(bytes: Buffer): number {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return -1;
  const length = /content-length: (\d+)/i.exec(bytes.toString("latin1", 0, end));
  if (length === null) throw new Error("a reply without content-length");
  return end + 4 + Number(length[1]);
}
