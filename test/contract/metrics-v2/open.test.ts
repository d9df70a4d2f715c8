import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../http.ts";
import { event, refused, uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";

const hourMs = 3_600_000;

topic("opening experiments", (system) => {
  test("a new slug gives a running experiment and a token for 24 hours", async () => {
    const before = Date.now();
    const experiment = await system.acme.open(uniqueName("slug"), "first", { learningRate: 0.1 });
    assert.match(experiment.token, /^ik_[A-Za-z0-9_-]{30,}$/);
    assert.ok(experiment.experimentId.length >= 1 && experiment.experimentId.length <= 64);
    assert.ok(experiment.expiresAtMs >= before + 24 * hourMs);
    assert.ok(experiment.expiresAtMs <= Date.now() + 24 * hourMs);
    const { slug, experimentId } = experiment;
    const record = await system.acme.record(experimentId);
    const { createdAtMs, updatedAtMs, statusAtMs } = record as { [name: string]: number };
    assert.ok(createdAtMs >= before && createdAtMs <= Date.now());
    assert.deepEqual(record, {
      experimentId,
      slug,
      description: "first",
      meta: { learningRate: 0.1 },
      status: "running",
      error: null,
      errorMeta: null,
      startedAtMs: null,
      doneAtMs: null,
      errorAtMs: null,
      statusAtMs,
      createdAtMs,
      updatedAtMs,
      folderId: null,
    });
  });

  test("opening again replaces description and meta, keeps the id and every earlier token", async () => {
    const slug = uniqueName("slug");
    const first = await system.acme.open(slug, "first", { a: 1, b: 2 });
    await first.tell("error", { error: "broke", meta: { at: 3 } });
    const before = await system.acme.record(first.experimentId);
    const second = await system.acme.open(slug, "second", { b: 3 });
    assert.equal(second.experimentId, first.experimentId);
    assert.notEqual(second.token, first.token);
    const record = await system.acme.record(first.experimentId);
    assert.deepEqual(
      { ...record, updatedAtMs: 0 },
      { ...before, description: "second", meta: { b: 3 }, updatedAtMs: 0 },
    );
    assert.equal(record.status, "error", "opening does not change the status");
    await first.send(first.metric());
    await second.send(second.metric());
    assert.equal((await system.acme.series(first.experimentId)).done.points, 2);
  });

  test("100 parallel openings of one new slug make one experiment with 100 tokens", async () => {
    const slug = uniqueName("race");
    const opened = await Promise.all(Array.from({ length: 100 }, () => system.acme.open(slug)));
    assert.equal(new Set(opened.map(({ experimentId }) => experimentId)).size, 1);
    assert.equal(new Set(opened.map(({ token }) => token)).size, 100);
    for (const experiment of [opened[0], opened[50], opened[99]])
      await experiment.send(experiment.metric());
  });

  test("who says what they have seen replaces nothing else", async () => {
    const slug = uniqueName("seen");
    const open = async (meta: JsonObject, seenUpdatedAtMs: Json) => {
      const data = { slug, description: "", meta, seenUpdatedAtMs };
      const [reply] = await system.acme.send(event("experiment.open", data));
      return reply.event === "svc.v2.error" ? reply.data.code : "opened";
    };
    const record = () => system.acme.ask("query.experiment", { experimentSlug: slug });
    assert.equal(await open({ by: 0 }, 17), "experiment_changed", "it is gone");
    assert.equal(await open({ by: 0 }, null), "opened");
    const first = await record();
    assert.equal(await open({ by: 1 }, null), "experiment_changed");
    assert.deepEqual(await record(), first);
    const outcomes = await Promise.all([2, 3, 4, 5].map((by) => open({ by }, first.updatedAtMs)));
    assert.deepEqual(outcomes.toSorted(), [
      ...Array<string>(3).fill("experiment_changed"),
      "opened",
    ]);
    const second = await record();
    assert.deepEqual(second.meta, { by: 2 + outcomes.indexOf("opened") });
    assert.ok(Number(second.updatedAtMs) > Number(first.updatedAtMs));
    // Within one millisecond too, each opening is told from the one before.
    for (let by = 6; by < 12; by++) {
      const { updatedAtMs } = await record();
      await system.acme.open(slug, "", { by });
      assert.equal(await open({}, updatedAtMs), "experiment_changed");
    }
  });

  test("slugs are opaque and exact", async () => {
    const word = uniqueName("Opaque");
    const slugs = [
      word,
      word.toLowerCase(),
      `${word}/a`,
      `${word}/a/`,
      `${word}%2f`,
      `${word} b`,
      `'${word}"; --`,
      `${word}\u00e9`,
      `${word}e\u0301`,
      `${word}😀`,
      `../${word}`,
      `${word}%`,
      `${word}_`,
    ];
    const ids = new Set<string>();
    for (const slug of slugs) ids.add((await system.acme.open(slug, slug)).experimentId);
    assert.equal(ids.size, slugs.length);
    for (const slug of slugs) {
      const record = await system.acme.ask("query.experiment", { experimentSlug: slug });
      assert.equal(record.description, slug);
      assert.equal(record.slug, slug);
    }
  });

  test("slug, description and meta have their limits", async () => {
    const word = uniqueName("s");
    const accepted = [
      { slug: "x", description: "", meta: {} },
      { slug: word.padEnd(200, "x"), description: "x".repeat(16_000), meta: {} },
      { slug: word + "😀".repeat(200 - word.length), description: "😀".repeat(16_000), meta: {} },
      { slug: `${word}2`, description: "line\nbreak\ttab", meta: { x: "y".repeat(65_536 - 8) } },
    ];
    for (const data of accepted) {
      const { experimentId } = await system.acme.ask("experiment.open", data);
      const record = await system.acme.record(String(experimentId));
      assert.deepEqual(
        { slug: record.slug, description: record.description, meta: record.meta },
        data,
      );
    }
    const good = { slug: word, description: "", meta: {} };
    const wrong: JsonObject[] = [
      { ...good, slug: "" },
      { ...good, slug: "x".repeat(201) },
      { ...good, slug: " x" },
      { ...good, slug: "x " },
      { ...good, slug: "a\nb" },
      { ...good, slug: 1 },
      { ...good, description: "x".repeat(16_001) },
      { ...good, description: null },
      { ...good, meta: { x: "y".repeat(65_536 - 7) } },
      { ...good, meta: { x: "é".repeat(32_768 - 3) } },
      { ...good, meta: [] },
      { ...good, meta: null },
      { ...good, meta: "{}" },
      { ...good, folderId: null },
    ];
    for (const data of wrong) {
      await refused(system.acme.post(event("experiment.open", data)), 400, "validation_failed");
    }
  });

  test("meta reads back as it was sent, whatever its keys are", async () => {
    const text =
      String.raw`{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}},"z":[1,null,true,"é\n"],` +
      `"":{"deep":{"er":[[[]]]}},"number":0.1,"large":1e21,"negative":-1.5e-7,"toString":"x"}`;
    const slug = uniqueName("slug");
    const reply = await system.acme.post(
      `{"messageId":"m","event":"svc.v2.experiment.open","data":{"slug":"${slug}","description":"","meta":${text}}}`,
    );
    assert.equal(reply.status, 200, reply.text);
    const read = await system.acme.post(event("query.experiment", { experimentSlug: slug }));
    const record = (JSON.parse(read.text) as { data: { meta: unknown } }).data;
    assert.deepEqual(record.meta, JSON.parse(text));
    assert.equal(({} as JsonObject).x, undefined);
    const other = await system.acme.open(uniqueName("after"), "", {});
    assert.deepEqual((await system.acme.record(other.experimentId)).meta, {});
  });
});
