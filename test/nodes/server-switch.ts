import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** Stands between services and a server: passes on while it is on, refuses, or is silent. */
export class ServerSwitch implements Disposable {
  readonly #server: Server;
  readonly #pairs = new Map<Socket, Socket>();
  #state: "on" | "off" | "silent" = "on";

  private constructor(server: Server) {
    this.#server = server;
  }

  static async before(serverPort: number): Promise<ServerSwitch> {
    const server = createServer();
    const made = new ServerSwitch(server);
    server.on("connection", (socket) => made.#take(socket, serverPort));
    await once(server.listen(0, "127.0.0.1"), "listening");
    return made;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** As a server that has ended: connections break, and new ones are refused. */
  turnOff(): void {
    this.#state = "off";
    this.#cut();
  }

  /** As behind a network that drops everything: connections stay and are made, and say nothing. */
  silence(): void {
    this.#state = "silent";
    for (const [socket, upstream] of this.#pairs) {
      socket.unpipe(upstream).pause();
      upstream.unpipe(socket).pause();
    }
  }

  turnOn(): void {
    this.#state = "on";
    for (const [socket, upstream] of this.#pairs) socket.pipe(upstream).pipe(socket);
  }

  [Symbol.dispose](): void {
    this.turnOff();
    this.#server.close();
  }

  #take(socket: Socket, serverPort: number): void {
    if (this.#state === "off") return void socket.destroy();
    const upstream = connect(serverPort, "127.0.0.1");
    this.#pairs.set(socket, upstream);
    for (const one of [socket, upstream]) {
      one.on("error", () => undefined);
      one.on("close", () => {
        socket.destroy();
        upstream.destroy();
        this.#pairs.delete(socket);
      });
    }
    if (this.#state === "on") socket.pipe(upstream).pipe(socket);
    else for (const one of [socket, upstream]) one.pause();
  }

  #cut(): void {
    for (const one of [...this.#pairs].flat()) one.destroy();
  }
}
