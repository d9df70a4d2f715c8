import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ServiceError } from "../../ground/errors.ts";
import { readRequestEvents } from "./request-events.ts";

const start = (messageId: string) => ({
  messageId,
  event: "svc.v2.experiment.start",
  data: { experimentId: "e" },
});
const tree = { messageId: "t", event: "svc.v2.foldertree.read", data: {} };

function refusal(endpoint: "organization" | "experiment", body: unknown): ServiceError {
  try {
    readRequestEvents(endpoint, body);
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return error;
  }
  throw new Error("accepted");
}

suite("batching rules before anything runs", () => {
  test("2: one malformed event refuses all, and its place is named", () => {
    const { code, message } = refusal("organization", [tree, { ...tree, extra: 1 }]);
    assert.equal(code, "validation_failed");
    assert.match(message, /\[1\]\.extra/);
    const wrong = Array.from({ length: 1_000 }, () => ({ ...tree, extra: 1 }));
    assert.match(refusal("organization", wrong).message, /and more/);
    assert.equal(refusal("organization", start("a")).code, "validation_failed");
    assert.equal(refusal("experiment", tree).code, "validation_failed");
  });

  test("4: a messageId twice, in experiment batches only", () => {
    assert.equal(
      refusal("experiment", [start("a"), start("b"), start("a")]).code,
      "duplicate_message_id",
    );
    assert.equal(readRequestEvents("organization", [tree, tree]).events.length, 2);
    const malformed = [start("a"), start("a"), { messageId: "x" }];
    assert.equal(refusal("experiment", malformed).code, "validation_failed");
  });
});
