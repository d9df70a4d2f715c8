import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { FakeArtifactService } from "../test/fake-artifact-service.ts";
import {
  type ClientOptions,
  LosslessClient,
  OutcomeUnknownError,
  RequestError,
  SupersededError,
} from "./index.ts";

const retry = { firstDelayMs: 1, longestDelayMs: 5, retryForMs: 60_000 };
const place = { cloud: "local", region: "local", source: "test" };

function clientOf(service: FakeArtifactService, options: Partial<ClientOptions> = {}) {
  return new LosslessClient({ baseUrl: service.url, apiKey: "ak_test", retry, ...options });
}

/** Returns a client whose requests are recorded and answered here. */
function recorded(replies: (() => Response | Error)[], options: Partial<ClientOptions> = {}) {
  const sent: { method: string; url: string; headers: Headers; body: unknown }[] = [];
  const client = new LosslessClient({
    baseUrl: "https://lossless.test",
    apiKey: "ak_test",
    retry,
    ...options,
    fetch: async (url, init) => {
      const { method = "", body } = init ?? {};
      sent.push({ method, url: url as string, headers: new Headers(init?.headers), body });
      const reply = replies.shift()?.() ?? new Error("no more replies");
      if (reply instanceof Error) throw reply;
      return reply;
    },
  });
  return { client, sent };
}

const json =
  (body: unknown, status = 200) =>
  () =>
    new Response(JSON.stringify(body), { status });
const lost = () => new TypeError("fetch failed", { cause: new Error("reset") });

suite("artifacts, call by call", () => {
  test("open, begin, resign, commit, read", async () => {
    await using service = await FakeArtifactService.start();
    service.clockOffsetMs = 86_400_000;
    const { artifacts } = clientOf(service);
    const artifact = "a b/ü?&#";
    await assert.rejects(artifacts.open(artifact, { mode: "latest", place }), (error) => {
      return error instanceof RequestError && error.code === "not_found" && error.status === 404;
    });
    const { epoch, version } = await artifacts.open(artifact, { mode: "new", place });
    assert.deepEqual([epoch, version], [1, null]);
    const files = [{ name: "x", size: 3 }];
    const body = { epoch, place, files, meta: { step: 1 } };
    const upload = await artifacts.begin(artifact, "1", body);
    // The Date header has no milliseconds.
    assert.ok(Math.abs(upload.validForMs - 3_600_000) < 2_000);
    const again = await artifacts.resign(artifact, upload.upload, epoch);
    assert.equal(again.upload, upload.upload);
    const { url, headers } = again.files[0].parts[0];
    const sent = await fetch(url, { method: "PUT", headers, body: "abc" });
    const etags = [sent.headers.get("etag")!];
    const commit = { epoch, files: [{ name: "x", etags }] };
    const committed = await artifacts.commit(artifact, upload.upload, commit);
    assert.deepEqual(await artifacts.commit(artifact, upload.upload, commit), committed);
    const record = await artifacts.readVersion(artifact, "latest", { urls: true, place });
    assert.deepEqual([record.version, record.bytes, record.meta], ["1", 3, { step: 1 }]);
    assert.equal(await (await fetch(record.files[0].url!)).text(), "abc");
    const signed = await artifacts.signVersion(artifact, "1");
    assert.ok(Math.abs(signed.validForMs - 3_600_000) < 2_000);
    const asked = service.of("/api/v1/versions/read")[0].query;
    assert.deepEqual(asked, { artifact, version: "latest", urls: "1", ...place });
  });

  test("superseded is an error of its own, with the epoch, and is not tried again", async () => {
    await using service = await FakeArtifactService.start();
    const { artifacts } = clientOf(service);
    const { epoch } = await artifacts.open("a", { mode: "new", place });
    await artifacts.open("a", { mode: "new", place });
    const files = [{ name: "x", size: 3 }];
    await assert.rejects(artifacts.begin("a", "1", { epoch, place, files, meta: {} }), (error) => {
      assert.ok(error instanceof SupersededError && error instanceof RequestError);
      assert.deepEqual([error.code, error.status, error.epoch], ["superseded", 409, 2]);
      return true;
    });
    assert.equal(service.of("/api/v1/versions/begin").length, 1);
  });

  test("lists are read page by page", async () => {
    await using service = await FakeArtifactService.start();
    const client = clientOf(service);
    for (const artifact of ["r/1", "r/2", "r/3", "s"]) {
      const { epoch } = await client.artifacts.open(artifact, { mode: "new", place });
      for (const version of ["1", "2", "3", "4", "5"]) {
        const files = [{ name: "empty", size: 0 }];
        const body = { epoch, place, files, meta: {} };
        const upload = await client.artifacts.begin(artifact, version, body);
        const { url, headers } = upload.files[0].parts[0];
        const sent = await fetch(url, { method: "PUT", headers });
        const etags = [sent.headers.get("etag")!];
        const sentFiles = [{ name: "empty", etags }];
        await client.artifacts.commit(artifact, upload.upload, { epoch, files: sentFiles });
      }
    }
    const names = async (list: AsyncIterable<{ artifact: string }>) =>
      (await Array.fromAsync(list)).map(({ artifact }) => artifact);
    assert.deepEqual(await names(client.artifacts.list()), ["r/1", "r/2", "r/3", "s"]);
    assert.deepEqual(await names(client.artifacts.list("r/")), ["r/1", "r/2", "r/3"]);
    const versions = await Array.fromAsync(client.artifacts.versions("s", { after: "1" }));
    assert.deepEqual(
      versions.map(({ version }) => version),
      ["2", "3", "4", "5"],
    );
    assert.equal(service.of("/api/v1/versions/list").length, 2);
  });

  test("notes are bytes", async () => {
    await using service = await FakeArtifactService.start();
    const { artifacts } = clientOf(service);
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await artifacts.writeNote("a", "n", bytes);
    assert.deepEqual(new Uint8Array(await artifacts.readNote("a", "n")), bytes);
    await artifacts.writeNote("a", "n", "é");
    assert.equal(new TextDecoder().decode(await artifacts.readNote("a", "n")), "é");
    await assert.rejects(artifacts.readNote("a", "none"), /not_found/);
  });

  test("calls are tried again after lost replies, 502 and 503", async () => {
    const { client, sent } = recorded([
      lost,
      json({ error: "upstream", message: "the bucket" }, 502),
      json({ error: "unavailable", message: "later" }, 503),
      json({ epoch: 7, version: null, source: null }),
    ]);
    const { epoch } = await client.artifacts.open("a", { mode: "new", place });
    assert.deepEqual([epoch, sent.length], [7, 4]);
  });
});

suite("the organization", () => {
  test("a credential is asked for with every attempt, and the organization named", async () => {
    let tokens = 0;
    const { client, sent } = recorded([lost, json({ orgId: "o" })], {
      credential: async () => `at_${++tokens}`,
      organization: "acme",
    });
    await client.organization.whoami();
    assert.deepEqual(
      sent.map(({ headers }) => [headers.get("authorization"), headers.get("x-svc-organization")]),
      [
        ["Bearer at_1", "acme"],
        ["Bearer at_2", "acme"],
      ],
    );
    assert.throws(() => new LosslessClient({ baseUrl: "https://lossless.test" }), /API key/);
  });

  test("a key whose secret is lost is not made twice", async () => {
    const { client, sent } = recorded([lost]);
    await assert.rejects(client.organization.createApiKey("ci"), OutcomeUnknownError);
    assert.equal(sent.length, 1);
    const refused = recorded([
      json({ error: "rate_limited", message: "later" }, 429),
      json({ key: { id: "k" }, secret: "ak_x" }, 201),
    ]);
    assert.equal((await refused.client.organization.createApiKey("ci")).secret, "ak_x");
  });

  test("a key that is gone after a lost reply was revoked by us", async () => {
    const gone = json({ error: "not_found", message: "no such key" }, 404);
    const { client, sent } = recorded([lost, gone]);
    await client.organization.revokeApiKey("k/1");
    assert.deepEqual(
      sent.map(({ method, url }) => `${method} ${url}`),
      Array(2).fill("DELETE https://lossless.test/api/v1/api-keys?id=k%2F1"),
    );
    await assert.rejects(recorded([gone]).client.organization.revokeApiKey("k"), /no such key/);
  });

  test("connections: begun once, completed and removed as often as it takes", async () => {
    const body = { cloud: "aws", aws: { roleArn: "arn:aws:iam::123456789012:role/r" } } as const;
    const down = json({ error: "upstream", message: "AWS could not be asked" }, 502);
    const { client, sent } = recorded([
      json({ id: "c" }, 201),
      down,
      json({ id: "c", state: "active" }),
      () => new Response(null, { status: 204 }),
    ]);
    assert.equal((await client.organization.createConnection({ cloud: "aws", name: "n" })).id, "c");
    assert.equal((await client.organization.completeConnection("c", body)).state, "active");
    await client.organization.removeConnection("c");
    assert.deepEqual(
      sent.map(({ method, url }) => `${method} ${url.slice(21)}`),
      [
        "POST /api/v1/connections",
        "PUT /api/v1/connections?id=c",
        "PUT /api/v1/connections?id=c",
        "DELETE /api/v1/connections?id=c",
      ],
    );
    assert.equal(sent[0].body, '{"cloud":"aws","name":"n"}');
    assert.equal(sent[2].body, JSON.stringify(body));
  });

  test("locations, usage, keys", async () => {
    const { client, sent } = recorded([
      json({ id: "l" }, 201),
      json({ id: "l" }),
      json({ rows: [{ day: "2026-01-01" }] }),
      json({ keys: [{ id: "k" }] }),
    ]);
    await client.organization.addLocation({ kind: "created", connection: "c", region: "r" });
    await client.organization.updateLocation("l", { fallback: true });
    assert.equal((await client.organization.usage(7))[0].day, "2026-01-01");
    assert.equal((await client.organization.apiKeys())[0].id, "k");
    assert.deepEqual(
      sent.map(({ method, url }) => `${method} ${url.slice(21)}`),
      [
        "POST /api/v1/locations",
        "PATCH /api/v1/locations?id=l",
        "GET /api/v1/usage?days=7",
        "GET /api/v1/api-keys",
      ],
    );
    assert.equal(sent[1].body, '{"fallback":true}');
  });
});
