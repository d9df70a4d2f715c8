import { connect, type Socket } from "node:net";
import type { HttpReply } from "../http.ts";

/** A test sends whatever bytes it likes on this socket. HOST is the service's own address. */
export class RawConnection {
  readonly #socket: Socket;
  readonly #host: string;
  readonly #reply: Promise<HttpReply>;

  constructor(baseUrl: string) {
    const { hostname, port, host } = new URL(baseUrl);
    this.#host = host;
    this.#socket = connect(Number(port), hostname).setEncoding("utf8");
    this.#reply = this.#read();
  }

  send(text: string): void {
    this.#socket.write(text.replaceAll("HOST", this.#host));
  }

  /** The first reply, as soon as it is whole or the service closes the connection. Closes it. */
  get reply(): Promise<HttpReply> {
    return this.#reply;
  }

  #read(): Promise<HttpReply> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      let text = "";
      const finish = (): void => {
        socket.destroy();
        resolve(parse(text));
      };
      socket.on("data", (chunk: string) => {
        text += chunk;
        if (isWhole(text)) finish();
      });
      socket.on("end", finish);
      socket.on("error", (error) => (text === "" ? reject(error) : finish()));
    });
  }
}

/** Sends one text and gives the first reply; its status is 0 when there was none. */
export function rawRequest(baseUrl: string, text: string): Promise<HttpReply> {
  const connection = new RawConnection(baseUrl);
  connection.send(text);
  return connection.reply;
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  const size = /^content-length: *(\d+)\r$/im.exec(text.slice(0, end + 2));
  return end >= 0 && size !== null && Buffer.byteLength(text.slice(end + 4)) >= Number(size[1]);
}

function parse(text: string): HttpReply {
  const [head, ...rest] = text.split("\r\n\r\n");
  const [line, ...fields] = head.split("\r\n");
  const headers = Object.fromEntries(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(":");
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    }),
  );
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1] ?? 0);
  const body = rest.join("\r\n\r\n");
  return { status, headers, bytes: Buffer.from(body), text: body };
}
