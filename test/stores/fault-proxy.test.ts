import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { FaultProxy, type Conditions } from "./fault-proxy.ts";
import { S3Double } from "./s3-double.ts";
import { clientOf } from "./sdk.ts";

/** A server that sends back what it gets, behind a proxy. */
async function withEcho(run: (proxy: FaultProxy) => Promise<void>): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    socket.pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const proxy = await FaultProxy.start(`http://127.0.0.1:${port}`);
  try {
    await run(proxy);
  } finally {
    await proxy[Symbol.asyncDispose]();
    server.close();
    await once(server, "close");
  }
}

/** The echo of some bytes, and the error it ended with. */
async function echo(proxy: FaultProxy, bytes: Buffer) {
  const socket = connect({ port: proxy.port, host: "127.0.0.1", allowHalfOpen: true });
  const received: Buffer[] = [];
  let error: string | undefined;
  socket.on("error", (failure: NodeJS.ErrnoException) => (error = failure.code));
  socket.on("data", (chunk: Buffer) => received.push(chunk));
  socket.write(bytes.subarray(0, bytes.length / 2));
  socket.end(bytes.subarray(bytes.length / 2));
  await new Promise<void>((resolve) => socket.once("end", resolve).once("close", resolve));
  socket.destroy();
  return { bytes: Buffer.concat(received), error };
}

const bytes = randomBytes(300_001);

test("everything passes unchanged, whatever the latency and the bandwidth", () =>
  withEcho(async (proxy) => {
    const conditions: Conditions[] = [
      {},
      { latencyMs: 30 },
      { bytesPerSecond: 3_000_000 },
      { latencyMs: 5, bytesPerSecond: 20_000_000, resetAfterBytes: 300_002 },
    ];
    for (const one of conditions) {
      proxy.toServer = one;
      proxy.toClient = { ...one };
      const result = await echo(proxy, bytes);
      assert.equal(result.error, undefined);
      assert.ok(result.bytes.equals(bytes));
    }
    assert.equal(proxy.connections, conditions.length);
  }));

test("a connection is reset after its bytes, in either direction, and the next one too", () =>
  withEcho(async (proxy) => {
    for (const direction of ["toServer", "toClient", "toClient"] as const) {
      proxy.toServer = {};
      proxy.toClient = {};
      proxy[direction] = { resetAfterBytes: 1_000 };
      const result = await echo(proxy, bytes);
      assert.equal(result.error, "ECONNRESET");
      assert.ok(result.bytes.length <= 1_000);
    }
    proxy.toClient = {};
    assert.ok((await echo(proxy, bytes)).bytes.equals(bytes));
  }));

test("a black hole holds everything until it is gone; a refusal lets nothing begin", () =>
  withEcho(async (proxy) => {
    proxy.toClient = { blackHole: true };
    let isBack = false;
    const result = echo(proxy, bytes).finally(() => (isBack = true));
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(isBack, false);
    proxy.toClient = {};
    assert.ok((await result).bytes.equals(bytes));
    proxy.refusing = true;
    assert.equal((await echo(proxy, bytes)).bytes.length, 0);
    proxy.refusing = false;
    proxy.toClient = { blackHole: true };
    const before = proxy.connections;
    const held = echo(proxy, bytes);
    while (proxy.connections === before) await new Promise((resolve) => setTimeout(resolve, 20));
    proxy.resetAll();
    assert.equal((await held).error, "ECONNRESET");
  }));

test("in front of a store: what is signed for the proxy's address passes, a lost answer was done", async () => {
  await using store = await S3Double.start();
  await using proxy = await FaultProxy.start(store.endpoint);
  const { name, region, pathStyle, accessKeyId, secretAccessKey } = store;
  const { endpoint } = proxy;
  const client = clientOf({ name, endpoint, region, pathStyle, accessKeyId, secretAccessKey });
  const object = { Bucket: "b", Key: "k" };
  await client.send(new PutObjectCommand({ ...object, Body: bytes }));
  const got = await client.send(new GetObjectCommand(object));
  assert.ok(bytes.equals(await got.Body!.transformToByteArray()));
  client.destroy();
  proxy.toClient = { resetAfterBytes: 1 };
  const again = new PutObjectCommand({ ...object, Key: "l", Body: bytes });
  await assert.rejects(client.send(again));
  assert.equal(store.objects("b").get("l")?.sizeBytes, bytes.length);
  client.destroy();
});
