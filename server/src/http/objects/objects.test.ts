import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { suite, test } from "node:test";
import { blockBytes } from "../../buckets/built-in/part.ts";
import { artifactBucketConformance } from "../../buckets/artifact-buckets.fixture.ts";
import { TestObjects, key } from "./objects.fixture.ts";

artifactBucketConformance("built-in", () => TestObjects.new());

function content(size: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: size }, (_, i) => (i * 7 + (i >> 8) * 13) % 251));
}

async function errorOf(reply: Response): Promise<[number, string]> {
  const { error } = (await reply.json()) as { error: string };
  return [reply.status, error];
}

async function bodyOf(reply: Response): Promise<Buffer> {
  return Buffer.from(await reply.arrayBuffer());
}

suite("parts at the built-in location", () => {
  test("T12: after commit and after abort a part is refused, the file stays", async () => {
    await using objects = await TestObjects.new();
    const sent = content(100);
    const { url, upload } = await objects.partUrl(100);
    const put = async () =>
      errorOf(await fetch(url, { method: "PUT", body: content(101).subarray(1) }));
    const first = await fetch(url, { method: "PUT", body: sent });
    await objects.bucket.complete(upload, [{ number: 1, etag: first.headers.get("etag") ?? "" }]);
    assert.deepEqual(await put(), [403, "forbidden"], "the store says so");
    for (const state of ["starting", "completing", "committed", "abandoned", null]) {
      objects.uploadState = state;
      assert.deepEqual(await put(), [403, "forbidden"], `${state}`);
    }
    assert.ok(sent.equals(await bodyOf(await fetch(await objects.readUrl()))));
    assert.equal((await objects.files()).length, 3);
  });

  test("a body without a length is refused", async () => {
    await using objects = await TestObjects.new();
    const { url } = await objects.partUrl(100);
    const request = httpRequest(url, { method: "PUT" });
    request.write(content(50));
    request.end(content(50));
    const [reply] = (await once(request, "response")) as [IncomingMessage];
    assert.equal(reply.statusCode, 400);
    reply.resume();
    assert.deepEqual(await objects.files(), []);
  });

  test("a client that goes away leaves nothing", async () => {
    await using objects = await TestObjects.new();
    const { url } = await objects.partUrl(1_000_000);
    const request = httpRequest(url, { method: "PUT", headers: { "content-length": 1_000_000 } });
    request.on("error", () => {});
    request.write(content(700_000));
    while ((await objects.files()).length === 0) await new Promise((done) => setTimeout(done, 5));
    request.destroy();
    while ((await objects.files()).length > 0) await new Promise((done) => setTimeout(done, 5));
  });

  test("a slow upload that goes on outlives the request time-out, a standing one does not", async () => {
    await using objects = await TestObjects.new({
      requestTimeoutMs: "1000",
      headersTimeoutMs: "400",
    });
    const whole = 10 * 70_000;
    const { url } = await objects.partUrl(whole);
    const { pathname, search } = new URL(url);
    const head = `PUT ${pathname}${search} HTTP/1.1\r\nhost: 127.0.0.1:${objects.port}\r\ncontent-length: ${whole}\r\n\r\n`;
    const send = async (pieces: number): Promise<string> => {
      const socket = connect(objects.port, "127.0.0.1");
      let text = "";
      const replied = new Promise<void>((resolve) => {
        socket.on("data", (bytes) => {
          text += bytes.toString("latin1");
          resolve();
        });
      });
      socket.write(head);
      for (let piece = 0; piece < pieces; piece++) {
        socket.write(content(70_000));
        await new Promise((done) => setTimeout(done, 150));
      }
      await replied;
      socket.destroy();
      return text;
    };
    assert.match(await send(10), /^HTTP\/1.1 200 /);
    assert.match(await send(1), /^HTTP\/1.1 408 /);
  });

  test("no space: 507 shown as unavailable, and the connection says it before the body", async () => {
    await using objects = await TestObjects.new({}, Number.MAX_SAFE_INTEGER);
    const { url } = await objects.partUrl(100);
    const reply = await fetch(url, { method: "PUT", body: content(100) });
    assert.deepEqual(await errorOf(reply), [507, "unavailable"]);
  });
});

suite("files at the built-in location", () => {
  test("whole, in ranges, conditional, HEAD; the headers keep browsers from running it", async () => {
    await using objects = await TestObjects.new();
    const sent = content(2 * blockBytes + 100);
    const url = await objects.store(sent);
    const whole = await fetch(url);
    assert.equal(whole.status, 200);
    assert.ok(sent.equals(await bodyOf(whole)));
    const etag = whole.headers.get("etag") ?? "";
    const expected = {
      "accept-ranges": "bytes",
      "content-length": `${sent.length}`,
      "content-type": "application/octet-stream",
      "content-disposition": "attachment",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    };
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(whole.headers.get(name), value, name);
    }
    assert.match(whole.headers.get("content-security-policy") ?? "", /^sandbox/);
    assert.equal(whole.headers.get("access-control-allow-origin"), null);
    const part = await fetch(url, { headers: { range: "bytes=262140-262150" } });
    assert.equal(part.status, 206);
    assert.equal(part.headers.get("content-range"), `bytes 262140-262150/${sent.length}`);
    assert.ok(sent.subarray(262_140, 262_151).equals(await bodyOf(part)));
    const none = await fetch(url, { headers: { range: `bytes=${sent.length}-` } });
    assert.equal(none.status, 416);
    assert.equal(none.headers.get("content-range"), `bytes */${sent.length}`);
    const same = await fetch(url, { headers: { "if-none-match": etag } });
    assert.deepEqual([same.status, await same.text()], [304, ""]);
    assert.equal((await fetch(url, { headers: { "if-match": '"x"' } })).status, 412);
    const head = await fetch(url, { method: "HEAD" });
    assert.deepEqual(
      [head.status, head.headers.get("content-length"), await head.text()],
      [200, `${sent.length}`, ""],
    );
  });

  test("a file that is gone is 404", async () => {
    await using objects = await TestObjects.new();
    const url = await objects.store(content(10));
    await objects.bucket.delete(key);
    assert.deepEqual(await errorOf(await fetch(url)), [404, "not_found"]);
  });

  test("damage at the beginning is an error, damage further on a body that is too short", async () => {
    await using objects = await TestObjects.new();
    const sent = content(20 * blockBytes);
    const url = await objects.store(sent);
    const [file] = (await objects.files()).filter((name) => /\/1-\d+-/.test(name));
    const sound = await readFile(file);
    for (const [at, whole] of [
      [5, false],
      [sent.length - 5, true],
    ] as const) {
      const damaged = Buffer.from(sound);
      damaged[at] ^= 4;
      await writeFile(file, damaged);
      const reply = await fetch(url);
      if (whole) {
        assert.equal(reply.status, 200);
        await assert.rejects(reply.arrayBuffer());
      } else {
        assert.deepEqual(await errorOf(reply), [500, "internal"]);
      }
    }
    assert.equal((await fetch(url, { headers: { range: "bytes=0-99" } })).status, 206);
    assert.match(objects.service.context.figures.registry.text(), /lossless_corruptions_total 2/);
  });

  test("a reader that goes away at once leaves no file open", async () => {
    // A file left for the garbage collector to close is an error that ends the service.
    const errors: unknown[] = [];
    const note = (error: unknown): unknown => errors.push(error);
    process.on("uncaughtException", note);
    using _noted = { [Symbol.dispose]: () => process.off("uncaughtException", note) };
    await using objects = await TestObjects.new();
    const url = await objects.store(content(16 * blockBytes));
    const open = async (): Promise<string[]> => {
      // Only Linux lists them.
      const numbers = await readdir("/proc/self/fd").catch(() => []);
      const links = await Promise.all(
        numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => "")),
      );
      return links.filter((link) => /\/1-\d+-[0-9a-f]+$/.test(link));
    };
    for (let reader = 0; reader < 20; reader++) {
      const request = httpRequest(url, { agent: false });
      request.on("error", () => {});
      request.end();
      // Some before the reply, some with its first bytes.
      await once(request, reader % 2 === 0 ? "response" : "finish");
      request.destroy();
    }
    // A request that was sent last may come to its file only after all the others are closed.
    let left: string[] = [];
    for (let wait = 0, quiet = 0; wait < 10_000 && quiet < 100; wait++) {
      left = await open();
      quiet = left.length === 0 ? quiet + 1 : 0;
      await new Promise((done) => setTimeout(done, 5));
    }
    assert.deepEqual(left, []);
    assert.deepEqual(errors, []);
  });

  test("a reader that goes away, or takes nothing, is let go", async () => {
    await using objects = await TestObjects.new({ streamIdleMs: "200" });
    const url = await objects.store(content(64 * blockBytes));
    for (const isPatient of [false, true]) {
      const request = httpRequest(url).end();
      request.on("error", () => {});
      const [reply] = (await once(request, "response")) as [IncomingMessage];
      reply.on("error", () => {});
      reply.pause();
      if (!isPatient) request.destroy();
      while (objects.service.context.limits.activeRequests > 0) {
        await new Promise((done) => setTimeout(done, 20));
      }
    }
  });
});
