import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { suite, test } from "node:test";
import { EditConflictError, hasCode, LosslessClient, type NoteBody } from "./index.ts";

type Answer = (reply: ServerResponse) => void;

suite("edits and notes", () => {
  test("a conflict says what stands there now, and is not tried again", async () => {
    const present = { description: "theirs", meta: [{ path: ["lr"], value: 2 }] };
    const refusal = { error: "conflict", message: "The value was changed meanwhile.", present };
    await using service = await answering([json(409, refusal)]);
    const body = { experimentId: "e", description: { before: "mine", after: "new" } };
    await assert.rejects(service.client.editExperiment(body), (error) => {
      assert.ok(error instanceof EditConflictError && hasCode(error, "conflict"));
      assert.deepEqual(error.present, present);
      return error.status === 409;
    });
    assert.deepEqual(service.asked, [["PATCH", "/api/views/v1/experiment", body]]);
  });

  test("an edit whose reply is lost is sent again as it was", async () => {
    const edited = { experimentId: "e", description: "new", meta: {}, updatedAtMs: 1 };
    await using service = await answering([(reply) => reply.destroy(), json(200, edited)]);
    const body = { experimentId: "e", description: { before: "", after: "new" } };
    assert.deepEqual(await service.client.editExperiment(body), edited);
    assert.deepEqual(service.asked[0], service.asked[1]);
  });

  test("so is a note, with its messageId, which is fresh for each note", async () => {
    const noted = { experimentId: "e", annotationId: "a", createdAtMs: 1, deduplicated: true };
    await using service = await answering([
      json(503, { error: "unavailable", message: "Try again." }),
      json(200, noted),
      json(200, noted),
    ]);
    const note = { experimentId: "e", annotation: "here", step: 3 };
    assert.deepEqual(await service.client.annotate(note), noted);
    await service.client.annotate(note);
    const [first, again, other] = service.asked.map(([, , body]) => (body as NoteBody).messageId);
    assert.equal(first, again);
    assert.notEqual(first, other);
  });
});

function json(status: number, body: object): Answer {
  return (reply) =>
    reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** A service that gives these answers, one after another. */
async function answering(answers: Answer[]) {
  const asked: [method: string, path: string, body: unknown][] = [];
  const server = createServer((request, reply) => {
    void text(request).then((body) => {
      asked.push([request.method!, request.url!, JSON.parse(body)]);
      answers.shift()!(reply);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const retry = { firstDelayMs: 1, longestDelayMs: 5 };
  const baseUrl = `http://127.0.0.1:${port}`;
  const client = new LosslessClient({ baseUrl, apiKey: "ak_test", retry, compression: "never" });
  return {
    client,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
