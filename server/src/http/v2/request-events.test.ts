import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ServiceError } from "../../ground/errors.ts";
import { readRequestEvents } from "./request-events.ts";

const start = (messageId: string) => ({
  messageId,
  event: "svc.v2.experiment.start",
  data: { experimentId: "e" },
});
const revoke = {
  messageId: "r",
  event: "svc.v2.experiment.tokenRevoke",
  data: { experimentId: "e" },
};
const tree = { messageId: "t", event: "svc.v2.foldertree.read", data: {} };
const many = { messageId: "m", event: "svc.v2.query.experiments", data: { experimentIds: [] } };
const series = {
  messageId: "s",
  event: "svc.v2.query.series",
  data: { experimentId: "e", seriesName: "loss", filter: [], xAxis: "step" },
};

function refusal(endpoint: "organization" | "experiment" | "series", body: unknown): ServiceError {
  try {
    readRequestEvents(endpoint, body);
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return error;
  }
  throw new Error("accepted");
}

suite("batching rules before anything runs", () => {
  test("1: one envelope, or an array of 1 to 1,000", () => {
    assert.equal(readRequestEvents("organization", tree).isArray, false);
    assert.equal(readRequestEvents("organization", [tree]).isArray, true);
    const full = Array.from({ length: 1_000 }, (_, index) => start(String(index)));
    assert.equal(readRequestEvents("experiment", full).events.length, 1_000);
    for (const body of [[], [...full, start("more")], null, "x", 1]) {
      assert.equal(refusal("experiment", body).code, "validation_failed");
    }
  });

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

  test("5: tokenRevoke must be last", () => {
    assert.equal(readRequestEvents("experiment", [start("a"), revoke]).events.length, 2);
    assert.equal(refusal("experiment", [revoke, start("a")]).code, "validation_failed");
    assert.equal(
      refusal("experiment", [revoke, { ...revoke, messageId: "r2" }]).code,
      "validation_failed",
    );
  });

  test("7: sole events", () => {
    readRequestEvents("organization", many);
    readRequestEvents("organization", [many]);
    assert.equal(refusal("organization", [tree, many]).code, "validation_failed");
    assert.equal(refusal("organization", [many, many]).code, "validation_failed");
  });

  test("a series query is never an array", () => {
    readRequestEvents("series", series);
    assert.equal(refusal("series", [series]).code, "validation_failed");
    assert.equal(refusal("series", tree).code, "validation_failed");
  });
});
