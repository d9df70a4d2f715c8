import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { type HttpReply, parseObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { address, ArtifactCaller, fails } from "../artifact-caller.ts";
import { uniqueName } from "../callers.ts";
import { RawConnection } from "../raw-request.ts";
import { topic } from "../topic.ts";
import { Writer } from "../writer.ts";

topic("notes", (system) => {
  const acme = new ArtifactCaller(system, organizations.acme.key);
  const rival = new ArtifactCaller(system, organizations.rival.key);

  const put = (
    artifact: string,
    note: string | undefined,
    body: Uint8Array | string,
    headers: Record<string, string> = {},
  ): Promise<HttpReply> =>
    acme.request(
      "artifacts/note",
      { artifact, note },
      { method: "PUT", body, headers: { "content-type": "application/octet-stream", ...headers } },
    );

  const get = (artifact: string, note: string) =>
    fetch(system.baseUrl + address("artifacts/note", { artifact, note }), {
      headers: { authorization: `Bearer ${acme.credential}` },
    });

  test("endpoint table: PUT is 204 and replaces, GET gives the bytes as application/octet-stream", async () => {
    const artifact = uniqueName("notes/of");
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
    for (const body of [bytes, Buffer.alloc(0), Buffer.from("last"), Buffer.alloc(65_536, 255)]) {
      const stored = await put(artifact, "n", body);
      assert.deepEqual([stored.status, stored.text], [204, ""]);
      const read = await get(artifact, "n");
      assert.equal(read.status, 200);
      assert.equal(read.headers.get("content-type"), "application/octet-stream");
      assert.ok(body.equals(Buffer.from(await read.arrayBuffer())));
    }
  });

  test("bytes are taken whatever the client calls them", async () => {
    const artifact = uniqueName("notes");
    for (const type of ["", "text", "garbage", "a/b/c", "application/json"]) {
      const stored = await put(artifact, "n", `as ${type}`, { "content-type": type });
      assert.equal(stored.status, 204, `${type}: ${stored.text}`);
      assert.equal(await (await get(artifact, "n")).text(), `as ${type}`);
    }
  });

  test("A41: a note is an attachment that no browser sniffs or stores", async () => {
    const artifact = uniqueName("notes");
    await put(artifact, "page.html", "<script>x</script>", { "content-type": "text/html" });
    const { headers } = await get(artifact, "page.html");
    assert.equal(headers.get("content-type"), "application/octet-stream");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("cache-control")!, /no-store/);
    assert.match(headers.get("content-disposition")!, /^attachment/);
    assert.match(headers.get("content-security-policy")!, /sandbox/);
  });

  test("A39: notes need no version and no epoch, and the last write wins", async () => {
    const writer = await Writer.open(acme);
    await acme.open(writer.artifact);
    assert.equal((await put(writer.artifact, "n", "one")).status, 204);
    assert.equal((await put(writer.artifact, "n", "two")).status, 204);
    assert.equal(await (await get(writer.artifact, "n")).text(), "two");
    assert.deepEqual((await acme.artifacts({ under: writer.artifact })).artifacts, [], "A36");
    assert.deepEqual(await acme.list(writer.artifact), { versions: [], next: null });
    const fresh = uniqueName("never-opened");
    assert.equal((await put(fresh, "n", "x")).status, 204);
    await fails(
      acme.request("versions/read", { artifact: fresh, version: "latest" }),
      404,
      "not_found",
    );
    assert.equal((await acme.open(fresh)).epoch, 1);
  });

  test("not_found: no such note, artifact, or another organization's (T09)", async () => {
    const artifact = uniqueName("notes");
    assert.equal((await put(artifact, "n", "x")).status, 204);
    const read = (caller: ArtifactCaller, name: string, note: string) =>
      caller.request("artifacts/note", { artifact: name, note });
    await fails(read(acme, artifact, "N"), 404, "not_found");
    await fails(read(acme, `${artifact}/x`, "n"), 404, "not_found");
    await fails(read(rival, artifact, "n"), 404, "not_found");
    const theirs = await rival.request(
      "artifacts/note",
      { artifact, note: "n" },
      { method: "PUT", body: "theirs", headers: { "content-type": "application/octet-stream" } },
    );
    assert.equal(theirs.status, 204);
    assert.equal(await (await get(artifact, "n")).text(), "x");
  });

  test("T37, A40, limits: which names a note can have", async () => {
    const artifact = uniqueName("notes");
    for (const note of [".", "..", "...", "-", "_", "a", "n".repeat(128), "A.b_c-9", "latest"]) {
      assert.equal((await put(artifact, note, note)).status, 204, note);
      assert.equal(await (await get(artifact, note)).text(), note);
    }
    const bad = [
      "",
      "a b",
      "a#b",
      "a?b",
      "a/b",
      "../n",
      "n".repeat(129),
      "é",
      "a\u0000",
      "a\n",
      "a%",
    ];
    for (const note of [...bad, undefined]) {
      await fails(put(artifact, note, "x"), 400, "bad_request");
      await fails(acme.request("artifacts/note", { artifact, note }), 400, "bad_request");
    }
    for (const path of ["", "../x", "a//b", "x".repeat(1_025)]) {
      await fails(put(path, "n", "x"), 400, "bad_request");
    }
  });

  test("T42, A40, limits: a note has at most 64 KiB, chunked or not, and no encoding", async () => {
    const artifact = uniqueName("notes");
    assert.equal((await put(artifact, "n", "kept")).status, 204);
    const message = await fails(put(artifact, "n", Buffer.alloc(65_537)), 400, "bad_request");
    assert.match(message, /64 KiB|65,?536/);
    await fails(put(artifact, "n", Buffer.alloc(5 * 1_048_576)), 400, "bad_request");
    const zipped = await put(artifact, "n", gzipSync("x"), { "content-encoding": "gzip" });
    assert.deepEqual([zipped.status, parseObject(zipped.text).error], [415, "bad_request"]);
    assert.equal(await (await get(artifact, "n")).text(), "kept");
    const head = [
      `PUT ${address("artifacts/note", { artifact, note: "n" })} HTTP/1.1`,
      "Host: HOST",
      `Authorization: Bearer ${acme.credential}`,
      "Content-Type: application/octet-stream",
      "Transfer-Encoding: chunked",
    ];
    const small = new RawConnection(system.baseUrl);
    small.send(
      `${head.join("\r\n")}\r\nConnection: close\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n`,
    );
    assert.equal((await small.reply).status, 204);
    assert.equal(await (await get(artifact, "n")).text(), "abcdef");
    const large = new RawConnection(system.baseUrl);
    // Never ended: the answer must not wait for the rest.
    large.send(`${head.join("\r\n")}\r\n\r\n`);
    for (let at = 0; at < 5; at++) large.send(`4000\r\n${"x".repeat(16_384)}\r\n`);
    const refused = await large.reply;
    assert.equal(refused.status, 400);
    assert.equal(parseObject(refused.text).error, "bad_request");
    assert.equal(await (await get(artifact, "n")).text(), "abcdef");
  });

  test("A39: an artifact has at most 1,000 notes; those that are there can be replaced", async () => {
    const artifact = uniqueName("notes");
    for (let first = 0; first < 1_000; first += 50) {
      const names = Array.from({ length: 50 }, (_, at) => `n${first + at}`);
      const replies = await Promise.all(names.map((name) => put(artifact, name, name)));
      assert.ok(replies.every(({ status }) => status === 204));
    }
    await fails(put(artifact, "more", "x"), 409, "conflict");
    assert.equal((await put(artifact, "n0", "new")).status, 204);
    assert.equal(await (await get(artifact, "n0")).text(), "new");
    assert.equal((await put(uniqueName("notes"), "more", "x")).status, 204);
  });
});
