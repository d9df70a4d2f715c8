import assert from "node:assert/strict";
import { test } from "node:test";
import type { EditBody, EditReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { type HttpReply, type Json, ok, parseObject } from "../../http.ts";
import { setQuota } from "../../quota.ts";
import { event, observed, type OrganizationCaller, uniqueName } from "../callers.ts";
import { refusedV1, signIn, signInBrowser } from "../people.ts";
import { topic, type System } from "../topic.ts";
import { table, untilSummarized } from "./table-calls.ts";

type Edit = Omit<EditBody, "experimentId">;

topic("edits of an experiment", (system) => {
  test("single values are set, changed and removed, with their types, and all else keeps its letters", async () => {
    const slug = uniqueName("edited");
    const big = "12345678901234567890";
    const meta = `{"big":${big},"one":1.50,"o":{"lr":0.1,"gone":[1]},"s":"a"}`;
    const sent = event("experiment.open", { slug, description: "", meta: {} });
    const body = JSON.stringify(sent).replace('"meta":{}', `"meta":${meta}`);
    await system.acme.post(body);
    const { experimentId } = await system.acme.ask("query.experiment", { experimentSlug: slug });
    const text = await editText(system, experimentId as string, [
      '{"path":["o","lr"],"before":0.1,"after":0.0100}',
      '{"path":["o","gone"],"before":[1]}',
      '{"path":["s"],"before":"a","after":true}',
      `{"path":["new \\"key\\""],"after":{"id":${big},"list":[null,""]}}`,
    ]);
    const stands = `{"big":${big},"one":1.5,"o":{"lr":0.0100},"s":true,"new \\"key\\"":{"id":${big},"list":[null,""]}}`;
    // Only where a digit would be lost a meta was kept as it was sent; this one was.
    const asSent = stands.replace("1.5,", "1.50,");
    assert.ok(text.includes(`"meta":${asSent}`), text);
    const read = await system.acme.post(event("query.experiment", { experimentId }));
    assert.ok(read.text.includes(`"meta":${asSent}`), read.text);
  });

  test("an edit nests a meta no deeper than it may be opened with", async () => {
    const nested = (levels: number): Json => (levels === 1 ? {} : { a: nested(levels - 1) });
    const path = (names: number) => Array.from({ length: names }, () => "a");
    const deepest = limits.jsonDepthMax - 2;
    const slug = uniqueName("deep");
    const open = event("experiment.open", { slug, description: "", meta: nested(deepest) });
    await system.acme.ask("experiment.open", open.data);
    const tooDeep = event("experiment.open", {
      slug: uniqueName("deeper"),
      description: "",
      meta: nested(deepest + 1),
    });
    const refusedOpen = await system.acme.post(tooDeep);
    assert.equal(refusedOpen.status, 400, refusedOpen.text);
    assert.match(refusedOpen.text, /malformed_json/);
    const { experimentId } = await system.acme.ask("query.experiment", { experimentSlug: slug });
    const at = async (names: number, after: unknown) =>
      send(system, experimentId as string, { meta: [{ path: path(names), after }] });
    const refused = await at(deepest, {});
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, /nested deeper than 30 levels/);
    assert.equal(parseObject(refused.text).error, "bad_request");
    const list = await send(system, experimentId as string, {
      meta: [{ path: [...path(deepest - 1), "b"], after: [[]] }],
    });
    assert.equal(list.status, 400, list.text);
    const leaf = await at(deepest, 1);
    assert.equal(leaf.status, 200, leaf.text);
  });

  test("where something else stands nothing is changed, and it is said what", async () => {
    const meta = { lr: 0.1, other: "kept" };
    const { experimentId } = await system.acme.open(undefined, "first", meta);
    await edit(system, experimentId, { meta: [{ path: ["lr"], before: 0.1, after: 0.2 }] });
    const refused = await send(system, experimentId, {
      description: { before: "first", after: "second" },
      meta: [
        { path: ["other"], before: "kept", after: "lost" },
        { path: ["lr"], before: 0.1, after: 0.3 },
        { path: ["new"], before: 1, after: 2 },
      ],
    });
    assert.equal(refused.status, 409, refused.text);
    const { error, present } = parseObject(refused.text);
    assert.equal(error, "conflict");
    assert.deepEqual(present, { meta: [{ path: ["lr"], value: 0.2 }, { path: ["new"] }] });
    const record = await system.acme.record(experimentId);
    assert.deepEqual([record.description, record.meta], ["first", { lr: 0.2, other: "kept" }]);
    const other = await send(system, experimentId, {
      description: { before: "never", after: "second" },
    });
    assert.deepEqual(parseObject(other.text).present, { description: "first" });
    const nowhere = await send(system, experimentId, {
      meta: [{ path: ["lr", "x"], after: 1 }],
    });
    assert.equal(nowhere.status, 409, nowhere.text);
    assert.match(nowhere.text, /meta\.lr\.x.*no object/);
  });

  test("an edit that is sent again changes nothing, not even a revision", async () => {
    const { experimentId } = await system.acme.open(undefined, "", { lr: 1 });
    const body: Edit = {
      description: { before: "", after: "said" },
      meta: [
        { path: ["lr"], before: 1, after: 2 },
        { path: ["gone"], before: 3 },
      ],
    };
    const first = await edit(system, experimentId, body);
    const revision = await revisionOf(system.acme, experimentId);
    assert.deepEqual(await edit(system, experimentId, body), first);
    assert.equal(await revisionOf(system.acme, experimentId), revision);
    assert.deepEqual(first.meta, { lr: 2 });
  });

  test("revision, time, table and log see an edit; status and the other times do not", async () => {
    const experiment = await system.acme.open(uniqueName("seen"), "", { lr: 1, gone: "x" });
    const { experimentId } = experiment;
    const before = await system.acme.record(experimentId);
    const revision = await revisionOf(system.acme, experimentId);
    const key = uniqueName("key").replaceAll("-", "_");
    const { updatedAtMs } = await edit(system, experimentId, {
      meta: [
        { path: [key], after: 5 },
        { path: ["gone"], before: "x" },
      ],
    });
    assert.equal(await revisionOf(system.acme, experimentId), revision + 1);
    assert.ok(updatedAtMs > Number(before.updatedAtMs));
    const after = await system.acme.record(experimentId);
    assert.deepEqual(after, { ...before, meta: { lr: 1, [key]: 5 }, updatedAtMs });
    await untilSummarized(system, system.acme);
    const query = `meta.${key} = 5 and not meta.gone`;
    const { rows } = await table(system, system.acme, { query });
    assert.deepEqual(
      rows.map((row) => row.experimentId),
      [experimentId],
    );
    const credential = await signIn(system, "ada");
    const log = await observed(system, { path: "/api/v1/audit", credential });
    const { events } = JSON.parse(log.text) as { events: Record<string, unknown>[] };
    const entry = events.find(({ subject }) => subject === experimentId)!;
    assert.equal(entry.action, "experiment.edited");
    assert.deepEqual(entry.details, { description: false, meta: `meta.${key}, meta.gone` });
  });

  test("of several that change one place at once, one does, and the others are told", async () => {
    const { experimentId } = await system.acme.open(undefined, "", { count: 0 });
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        send(system, experimentId, { meta: [{ path: ["count"], before: 0, after: at + 1 }] }),
      ),
    );
    const statuses = replies.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [200, ...Array.from({ length: 7 }, () => 409)]);
    const places = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        send(system, experimentId, { meta: [{ path: [`own-${at}`], after: at }] }),
      ),
    );
    assert.ok(places.every(({ status }) => status === 200));
    const { meta } = await system.acme.record(experimentId);
    assert.equal(Object.keys(meta as object).length, 9);
  });

  test("who opens the slug again replaces both, edited or not", async () => {
    const { experimentId, slug } = await system.acme.open(undefined, "program", { lr: 1 });
    await edit(system, experimentId, {
      description: { before: "program", after: "person" },
      meta: [{ path: ["note"], after: "x" }],
    });
    await system.acme.open(slug, "program", { lr: 1 });
    const { description, meta } = await system.acme.record(experimentId);
    assert.deepEqual([description, meta], ["program", { lr: 1 }]);
  });

  test("another organization's experiment is as absent as none, whatever is known of it", async () => {
    const { experimentId, token } = await system.acme.open(undefined, "mine", { lr: 1 });
    const body: Edit = { description: { before: "mine", after: "theirs" } };
    const texts = new Set<string>();
    for (const id of [experimentId, "unknown"]) {
      const reply = await send(system, id, body, system.rival.credential);
      texts.add(await refusedV1(reply, 404, "not_found"));
    }
    assert.equal(texts.size, 1);
    const rita = await signIn(system, "rita");
    await refusedV1(send(system, experimentId, body, rita), 404, "not_found");
    await refusedV1(send(system, experimentId, body, token), 401, "unauthorized");
    assert.equal((await system.acme.record(experimentId)).description, "mine");
    // Each of the organization's people may, as each may record.
    const max = await signIn(system, "max");
    assert.equal((await send(system, experimentId, body, max)).status, 200);
  });

  test("a browser's cookie alone edits nothing", async () => {
    const { experimentId } = await system.acme.open(undefined, "mine");
    const { cookie, csrf } = await signInBrowser(system, "ada");
    const body = { experimentId, description: { before: "mine", after: "x" } };
    const path = "/api/views/v1/experiment";
    const request = { method: "PATCH", path, body };
    await refusedV1(observed(system, { ...request, headers: { cookie } }), 403, "forbidden");
    const headers = { cookie, "x-csrf-token": csrf, origin: "https://evil.example" };
    await refusedV1(observed(system, { ...request, headers }), 403, "forbidden");
    const own = { cookie, "x-csrf-token": csrf, origin: system.baseUrl };
    const reply = await observed(system, { ...request, headers: own });
    assert.equal(reply.status, 200, reply.text);
  });

  test("what is asked wrongly is refused with a sentence", async () => {
    const { experimentId } = await system.acme.open();
    const wrong: [unknown, RegExp][] = [
      [{ meta: [{ path: [], after: 1 }] }, /path/],
      [{ meta: [{ path: [1], after: 1 }] }, /path/],
      [{ meta: { lr: 1 } }, /meta/],
      [{ description: "x" }, /description/],
      [{ description: { before: "", after: "x".repeat(16_001) } }, /description\.after/],
      [{ meta: [{ path: ["a"], after: "\0" }] }, /NUL/],
      [{ meta: [{ path: ["\ud800"], after: 1 }] }, /surrogate/],
      [{ meta: [{ path: ["a"], after: "x".repeat(65_536) }] }, /65536 bytes/],
      [{ meta: Array.from({ length: 101 }, (_, at) => ({ path: [`${at}`] })) }, /meta/],
      [
        {
          meta: [
            { path: ["a"], after: {} },
            { path: ["a", "b"], after: 1 },
          ],
        },
        /one value/,
      ],
      [{ slug: "x" }, /slug/],
    ];
    for (const [body, sentence] of wrong) {
      const reply = await send(system, experimentId, body as Edit);
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.text, sentence);
    }
    assert.deepEqual((await system.acme.record(experimentId)).meta, {});
  });
});

topic(
  "edits beside a quota",
  (system) => {
    test("what an edit adds is counted, and refused where there is no room", async () => {
      const { experimentId } = await system.acme.open(undefined, "", { text: "" });
      const { stored } = await setQuota(system.service);
      await edit(system, experimentId, {
        meta: [{ path: ["text"], before: "", after: "x".repeat(100) }],
      });
      const { stored: after } = await setQuota(system.service);
      assert.equal(after.bytes - stored.bytes, 100);
      await setQuota(system.service, "--bytes", String(after.bytes + 50));
      const reply = await send(system, experimentId, {
        description: { before: "", after: "x".repeat(51) },
      });
      await refusedV1(reply, 409, "conflict");
      await edit(system, experimentId, { description: { before: "", after: "x".repeat(50) } });
    });
  },
  { quotas: { experiments: 1_000 } },
);

function send(
  system: System,
  experimentId: string,
  body: Edit,
  credential = system.acme.credential,
): Promise<HttpReply> {
  const path = "/api/views/v1/experiment";
  return observed(system, { method: "PATCH", path, credential, body: { experimentId, ...body } });
}

async function edit(system: System, experimentId: string, body: Edit): Promise<EditReply> {
  return ok<EditReply>(await send(system, experimentId, body));
}

/** Edits as their sender wrote them; the letters of the reply. */
async function editText(system: System, experimentId: string, edits: string[]): Promise<string> {
  const body = `{"experimentId":"${experimentId}","meta":[${edits.join(", ")}]}`;
  const { credential } = system.acme;
  const path = "/api/views/v1/experiment";
  const reply = await observed(system, { method: "PATCH", path, credential, body });
  assert.equal(reply.status, 200, reply.text);
  return reply.text;
}

async function revisionOf(caller: OrganizationCaller, experimentId: string): Promise<number> {
  const data = await caller.ask("query.revisions", { experimentIds: [experimentId] });
  return (data.experiments as unknown as { revision: number }[])[0].revision;
}
