import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { suite, test } from "node:test";
import type { StreamForm } from "../../experiments/series/stream-form.ts";
import { ServiceError } from "../../ground/errors.ts";
import { sendRecords, type StreamEnd, type StreamOptions } from "./sent-records.ts";
import { UnreadReplies } from "../limits/unread-replies.ts";

interface Sent {
  end: StreamEnd;
  errors: unknown[];
  returned: boolean;
}

/** Serves one stream to a client that the test drives, on a real connection. */
async function serve(
  lines: () => AsyncGenerator<Uint8Array>,
  client: (socket: Socket, stop: AbortController) => Promise<void> | void,
  idleMs = 60_000,
  form: StreamForm = "lines",
): Promise<Sent & { received: string }> {
  const stop = new AbortController();
  const errors: unknown[] = [];
  let returned = false;
  const tracked = async function* () {
    try {
      yield* lines();
    } finally {
      returned = true;
    }
  };
  const ended = Promise.withResolvers<StreamEnd>();
  const unread = new UnreadReplies(idleMs);
  const server = createServer((_request, response: ServerResponse) => {
    const options: StreamOptions = {
      correlationId: "c",
      form,
      unread,
      stop: stop.signal,
      onError: (error: unknown) => void errors.push(error),
    };
    sendRecords(response, tracked(), options).then(ended.resolve, ended.reject);
  });
  unread.watch(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let received = "";
  socket.on("error", () => {});
  socket.setEncoding("utf8").on("data", (text: string) => (received += text));
  socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await client(socket, stop);
  const end = await ended.promise;
  // A paused socket never sees its end.
  if (end === "idle") socket.destroy();
  if (!socket.closed) await once(socket, "close");
  server.close();
  // The generator learns of its end a few microtasks later.
  await new Promise((resolve) => setImmediate(resolve));
  return { end, errors, returned, received };
}

const line = (text: string): Uint8Array => Buffer.from(`"${text}"\n`);
const never = (): Promise<never> => new Promise(() => {});

suite("stream of records", () => {
  test("sends everything in order and ends", async () => {
    const sent = await serve(
      async function* () {
        for (let index = 0; index < 100; index += 1) yield line(`${index}:${"x".repeat(50_000)}`);
      },
      () => {},
    );
    assert.equal(sent.end, "complete");
    assert.ok(sent.returned);
    const numbers = [...sent.received.matchAll(/"(\d+):x/g)].map((match) => Number(match[1]));
    assert.deepEqual(
      numbers,
      Array.from({ length: 100 }, (_, index) => index),
    );
  });

  test("takes no chunk before the client took the one before", async () => {
    let made = 0;
    const sent = await serve(
      async function* () {
        for (; made < 400; made += 1) yield Buffer.alloc(256 * 1_024, "x");
      },
      async (socket) => {
        socket.pause();
        let seen = -1;
        while (seen !== made) {
          seen = made;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        assert.ok(made < 100, `${made} chunks wait in memory`);
        socket.resume();
      },
    );
    assert.equal(sent.end, "complete");
    assert.equal(made, 400);
  });

  test("a client that goes away frees the snapshot", async () => {
    const sent = await serve(
      async function* () {
        for (;;) yield Buffer.alloc(65_536, "x");
      },
      async (socket) => {
        await once(socket, "data");
        socket.destroy();
      },
    );
    assert.deepEqual([sent.end, sent.returned, sent.errors], ["client_gone", true, []]);
  });

  test("a reader that takes nothing is cut", async () => {
    const sent = await serve(
      async function* () {
        for (;;) yield Buffer.alloc(1_048_576, "x");
      },
      (socket) => void socket.pause(),
      200,
    ).catch((error: unknown) => assert.fail(String(error)));
    assert.deepEqual([sent.end, sent.returned], ["idle", true]);
  });

  test("a slow storage is not an idle reader", async () => {
    const sent = await serve(
      async function* () {
        yield line("a");
        await new Promise((resolve) => setTimeout(resolve, 500));
        yield line("b");
      },
      () => {},
      100,
    );
    assert.equal(sent.end, "complete");
  });

  test("stopping ends it with an error record, also while storage is silent", async () => {
    const sent = await serve(
      async function* () {
        yield line("first");
        await never();
      },
      async (socket, stop) => {
        await once(socket, "data");
        stop.abort();
      },
    );
    assert.equal(sent.end, "stopping");
    const record = sent.received.split("\n").find((one) => one.includes("svc.v2.error")) ?? "";
    const { correlationId, data } = JSON.parse(record) as { correlationId: string; data: object };
    assert.equal(correlationId, "c");
    assert.deepEqual(data, {
      code: "shutting_down",
      message: "The service is shutting down.",
      status: 503,
      retryable: true,
      details: {},
    });
  });

  test("other forms end so that they are known to have failed", async () => {
    const stopped = (form: StreamForm, first?: Uint8Array) =>
      serve(
        async function* () {
          if (first !== undefined) yield first;
          await never();
        },
        async (socket, stop) => {
          if (first !== undefined) await once(socket, "data");
          stop.abort();
        },
        60_000,
        form,
      );
    const columns = await stopped("columns", line("first"));
    assert.match(columns.received, /LSer.*"code":"shutting_down"/s);
    const arrow = await stopped("arrow", line("first"));
    assert.match(arrow.received, /lossless\.error.*"code":"shutting_down"/s);
    assert.match(arrow.received, /\ufffd{4}\r\n0\r\n\r\n$/, "a message begins");
    const none = await stopped("arrow");
    assert.match(none.received, /seriesName.*lossless\.error.*"code":"shutting_down"/s);
  });

  test("a failure inside ends it with an error record", async () => {
    const fail = (error: Error) =>
      serve(
        async function* () {
          yield line("first");
          throw error;
        },
        () => {},
      );
    const known = await fail(new ServiceError("data_corrupted", "checksum"));
    assert.match(known.received, /"code":"data_corrupted"/);
    assert.deepEqual([known.end, known.errors], ["failed", []]);
    const defect = new Error("secret path");
    const unknown = await fail(defect);
    assert.match(unknown.received, /"code":"internal"/);
    assert.ok(!unknown.received.includes("secret path"));
    assert.deepEqual(unknown.errors, [defect]);
  });
});
