import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { attackerAddress } from "./scene.ts";

/** These connections send what they are told. They read nothing unless told to or made to. */
export class RawSockets implements Disposable {
  readonly #all: Socket[] = [];
  readonly #baseUrl: URL;
  readonly #reads: boolean;
  closed = 0;
  /** Bytes read by all sockets together. */
  read = 0;

  constructor(baseUrl: string, { reads = false }: { reads?: boolean } = {}) {
    this.#baseUrl = new URL(baseUrl);
    this.#reads = reads;
  }

  get count(): number {
    return this.#all.length;
  }

  /** Opens one more and sends the text; HOST stands for the service's own address. */
  open(text: string): void {
    const { hostname, port, host } = this.#baseUrl;
    const socket = connect({ port: Number(port), host: hostname, localAddress: attackerAddress });
    socket.on("error", () => {}).on("close", () => (this.closed += 1));
    if (this.#reads) socket.resume();
    else socket.pause();
    socket.write(text.replaceAll("HOST", host));
    this.#all.push(socket);
  }

  /** Opens many, without filling the queue of connections that wait to be accepted. */
  async openMany(count: number, text: string): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      this.open(text);
      if (index % 100 === 99) await sleep(20);
    }
    await sleep(100);
  }

  /** Takes at most so many bytes from each. */
  trickle(bytes: number): void {
    for (const socket of this.#all) {
      this.read +=
        (socket.read(Math.min(bytes, socket.readableLength)) as Buffer | null)?.length ?? 0;
    }
  }

  /** Waits until the service has closed all of them; false when it has not for so long. */
  async allClosed(withinMs: number, everySecond: () => void = () => {}): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    while (this.closed < this.#all.length && performance.now() < deadline) {
      await sleep(500);
      if (!this.#reads) this.#look();
      everySecond();
    }
    return this.closed === this.#all.length;
  }

  /** A paused socket does not notice its end: a write shows if the other side is still there. */
  #look(): void {
    for (const socket of this.#all) if (!socket.destroyed && socket.writable) socket.write("\r\n");
  }

  [Symbol.dispose](): void {
    for (const socket of this.#all) socket.destroy();
  }
}

/** A request's head, ended by an empty line. */
export function head(line: string, fields: Record<string, string | number> = {}): string {
  const more = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\nHost: HOST\r\n${more.join("")}\r\n`;
}
