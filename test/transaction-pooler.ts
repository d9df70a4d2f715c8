import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface PoolerOptions {
  /** The port of the server. */
  port: number;
  /** `statement`: transactions of several statements are refused. */
  mode?: "transaction" | "statement";
  /** Which idle session is given next: the one that was used last, or each in its turn. */
  order?: "last" | "turn";
}

/**
 * Stands before a PostgreSQL that trusts everybody, as PgBouncer does in transaction mode: each
 * transaction of a client gets a session of the server that is idle, whoever had it before.
 */
export async function startPooler({ port, mode = "transaction", order = "last" }: PoolerOptions) {
  const idle: Session[] = [];
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  };
  const take = async (startup: Buffer): Promise<Session> =>
    (order === "last" ? idle.pop() : idle.shift()) ??
    begun(track(connect(port, "127.0.0.1")), startup);
  const server = createServer((socket) => {
    void serve(track(socket), mode, take, (session) => idle.push(session));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A session of the server, its replies by message. */
interface Session {
  socket: Socket;
  replies: AsyncGenerator<Buffer>;
}

async function begun(socket: Socket, startup: Buffer): Promise<Session> {
  socket.write(startup);
  const replies = messagesOf(socket);
  for (;;) {
    const { value, done } = await replies.next();
    if (done === true || typeOf(value) === "E") throw new Error(`the server says ${String(value)}`);
    if (typeOf(value) === "Z") return { socket, replies };
  }
}

async function serve(
  socket: Socket,
  mode: PoolerOptions["mode"],
  take: (startup: Buffer) => Promise<Session>,
  giveBack: (session: Session) => void,
): Promise<void> {
  const [startup] = (await once(socket, "data")) as [Buffer];
  socket.write(Buffer.concat([message("R", Buffer.alloc(4)), ready]));
  let session: Session | undefined;
  for await (const sent of messagesOf(socket)) {
    if (typeOf(sent) === "X") break;
    if (mode === "statement" && sent.includes("BEGIN")) {
      socket.end(message("E", Buffer.from(refusal)));
      break;
    }
    session ??= await take(startup);
    session.socket.write(sent);
    // The client waits for its answer after a query and after Sync.
    if (!/[QS]/.test(typeOf(sent))) continue;
    for (;;) {
      const reply = (await session.replies.next()).value as Buffer;
      socket.write(reply);
      if (typeOf(reply) !== "Z") continue;
      if (reply.toString("latin1", 5) === "I") {
        giveBack(session);
        session = undefined;
      }
      break;
    }
  }
  session?.socket.destroy();
  socket.destroy();
}

const refusal =
  "SFATAL\0VFATAL\0C08P01\0Mtransaction blocks not allowed in statement pooling mode\0\0";
const ready = message("Z", Buffer.from("I"));

function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

function typeOf(sent: Buffer): string {
  return sent.toString("latin1", 0, 1);
}

/** Whole messages: a letter, the length of what follows, and that. Leaving off keeps the socket. */
async function* messagesOf(socket: Socket): AsyncGenerator<Buffer> {
  let kept: Buffer = Buffer.alloc(0);
  for await (const bytes of socket.iterator({ destroyOnReturn: false })) {
    kept = Buffer.concat([kept, bytes as Buffer]);
    while (kept.length >= 5 && kept.length > kept.readUInt32BE(1)) {
      const end = kept.readUInt32BE(1) + 1;
      yield kept.subarray(0, end);
      kept = kept.subarray(end);
    }
  }
}
