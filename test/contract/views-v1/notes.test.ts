import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewAnnotationsReply, NoteBody, NoteReply } from "@lossless/protocol";
import { type HttpReply, type JsonObject, ok } from "../../http.ts";
import { people } from "../../service.ts";
import { observed, uniqueName } from "../callers.ts";
import { refusedV1, signIn, signInCommandLine } from "../people.ts";
import { topic, type System } from "../topic.ts";

topic("notes on an experiment", (system) => {
  test("a note says where and who; the meta has both, and a program has no name", async () => {
    const { experimentId } = await system.acme.open();
    const credential = await signIn(system, "max");
    await note(system, { experimentId, messageId: "1", annotation: "here", step: 70 }, credential);
    await note(system, { experimentId, messageId: "2", annotation: "there" });
    const cli = await signInCommandLine(system, "ada", "acme");
    const body = { experimentId, messageId: "3", annotation: "cli" };
    const reply = await post(system, body, cli, { "x-svc-organization": "acme" });
    assert.equal(reply.status, 200, reply.text);
    const found = await annotations(system, experimentId);
    assert.deepEqual(
      found.map(({ annotation, meta }) => [annotation, meta]),
      [
        ["cli", { author: people.ada.email }],
        ["there", {}],
        ["here", { step: 70, author: people.max.email }],
      ],
    );
  });

  test("a repeat adds nothing and says what the first one said, also of several at once", async () => {
    const { experimentId } = await system.acme.open();
    const { experimentId: other } = await system.acme.open();
    const body = { experimentId, messageId: uniqueName("note"), annotation: "once", step: 1 };
    const replies = await Promise.all(Array.from({ length: 6 }, () => note(system, body)));
    assert.equal(replies.filter(({ deduplicated }) => !deduplicated).length, 1);
    const [{ annotationId }] = await annotations(system, experimentId);
    assert.deepEqual(new Set(replies.map((reply) => reply.annotationId)), new Set([annotationId]));
    assert.equal((await annotations(system, experimentId)).length, 1);
    // It is an experiment's own, as that of a metric is.
    assert.equal((await note(system, { ...body, experimentId: other })).deduplicated, false);
    const revisions = { experimentIds: [experimentId] };
    const before = await system.acme.ask("query.revisions", revisions);
    await note(system, body);
    assert.deepEqual(await system.acme.ask("query.revisions", revisions), before);
  });

  test("the same id for something else is a conflict, and the first one stays", async () => {
    const { experimentId } = await system.acme.open();
    const body = { experimentId, messageId: "m", annotation: "first", step: 1 };
    await note(system, body);
    const max = await signIn(system, "max");
    await refusedV1(post(system, { ...body, annotation: "second" }), 409, "conflict");
    await refusedV1(post(system, { ...body, step: 2 }), 409, "conflict");
    await refusedV1(post(system, body, max), 409, "conflict");
    assert.equal((await annotations(system, experimentId)).length, 1);
  });

  test("events' annotations stand between them in order, and never meet their ids", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    await note(system, { experimentId, messageId: "m", annotation: "1" });
    const event = experiment.event("annotate", { annotation: "2", meta: {} }, "m");
    await experiment.send(event);
    await note(system, { experimentId, messageId: "n", annotation: "3" });
    const found = await annotations(system, experimentId);
    assert.deepEqual(
      found.map(({ annotation }) => annotation),
      ["3", "2", "1"],
    );
  });

  test("what is new is read from where a reply before ended", async () => {
    const { experimentId } = await system.acme.open();
    const read = async (after?: string, credential = system.acme.credential) => {
      const query = new URLSearchParams({ experimentId, ...(after !== undefined && { after }) });
      const path = `/api/views/v1/annotations?${query.toString()}`;
      const reply = await observed(system, { method: "GET", path, credential });
      if (reply.status !== 200) return reply;
      const { annotations, truncated, next } = JSON.parse(reply.text) as NewAnnotationsReply;
      assert.equal(truncated, false);
      return { texts: annotations.map(({ annotation }) => annotation), next };
    };
    const begin = await read();
    assert.ok("next" in begin);
    assert.deepEqual(begin.texts, []);
    for (const annotation of ["1", "2"]) {
      await note(system, { experimentId, messageId: annotation, annotation });
    }
    const all = await read(begin.next);
    assert.ok("next" in all);
    assert.deepEqual([all.texts, await read()], [["2", "1"], all]);
    assert.deepEqual(await read(all.next), { texts: [], next: all.next });
    await note(system, { experimentId, messageId: "3", annotation: "3" });
    const more = await read(all.next);
    assert.ok("next" in more);
    assert.deepEqual(more.texts, ["3"]);
    const foreign = await read(undefined, system.rival.credential);
    assert.ok("status" in foreign);
    await refusedV1(foreign, 404, "not_found");
    const wrong = await read("1 OR 1");
    assert.ok("status" in wrong);
    await refusedV1(wrong, 400, "bad_request");
  });

  test("another organization's experiment takes none", async () => {
    const { experimentId, token } = await system.acme.open();
    const rival = system.rival.credential;
    const texts = new Set<string>();
    for (const id of [experimentId, "unknown"]) {
      const body = { experimentId: id, messageId: "m", annotation: "x" };
      texts.add(await refusedV1(post(system, body, rival), 404, "not_found"));
      texts.add(
        await refusedV1(post(system, body, await signIn(system, "rita")), 404, "not_found"),
      );
    }
    assert.equal(texts.size, 1);
    const body = { experimentId, messageId: "m", annotation: "x" };
    await refusedV1(post(system, body, token), 401, "unauthorized");
    assert.deepEqual(await annotations(system, experimentId), []);
  });

  test("what is asked wrongly is refused with a sentence", async () => {
    const { experimentId } = await system.acme.open();
    const whole = { experimentId, messageId: "m", annotation: "x" };
    const wrong: [object, RegExp][] = [
      [{ ...whole, messageId: "" }, /messageId/],
      [{ ...whole, messageId: "x".repeat(201) }, /messageId/],
      [{ ...whole, annotation: "" }, /annotation/],
      [{ ...whole, annotation: "x".repeat(16_001) }, /annotation/],
      [{ ...whole, annotation: "\0" }, /NUL/],
      [{ ...whole, step: -1 }, /step/],
      [{ ...whole, step: 1.5 }, /step/],
      [{ ...whole, meta: { author: "somebody" } }, /meta/],
      [{ experimentId, annotation: "x" }, /messageId/],
    ];
    for (const [body, sentence] of wrong) {
      const reply = await post(system, body);
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.text, sentence);
    }
  });
});

function post(
  system: System,
  body: object,
  credential = system.acme.credential,
  headers: Record<string, string> = {},
): Promise<HttpReply> {
  const path = "/api/views/v1/annotations";
  return observed(system, { method: "POST", path, credential, body, headers });
}

async function note(system: System, body: NoteBody, credential?: string): Promise<NoteReply> {
  return ok<NoteReply>(await post(system, body, credential));
}

async function annotations(system: System, experimentId: string): Promise<JsonObject[]> {
  const data = await system.acme.ask("query.annotations", { experimentId });
  return data.annotations as JsonObject[];
}
