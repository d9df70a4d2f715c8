import assert from "node:assert/strict";
import { test } from "node:test";
import { errorCodes, errorData, errors, isErrorCode, isRetryable, v2Errors } from "./index.ts";

test("the codes that the specification writes have its statuses", () => {
  assert.equal(errors.unauthorized.status, 401);
  assert.equal(errors.duplicate_message_id.status, 400);
  assert.equal(errors.folder_already_exists.status, 409);
  assert.equal(errors.experiment_id_mismatch.status, 409);
  assert.equal(errors.message_id_conflict.status, 409);
});

test("retryable is true for 429 and 5xx, otherwise false", () => {
  for (const code of errorCodes) {
    const { status } = errors[code];
    assert.equal(isRetryable(code), status === 429 || (status >= 500 && status <= 599), code);
    assert.ok(errors[code].layers.length > 0);
  }
});

test("only own names of the table are codes", () => {
  assert.equal(isErrorCode("unauthorized"), true);
  assert.equal(isErrorCode("toString"), false);
});

test("the two layers have the forms of the specification", () => {
  assert.deepEqual(errorData("folder_not_found"), {
    code: "folder_not_found",
    message: errors.folder_not_found.sentence,
    status: 404,
    retryable: false,
    details: {},
  });
  const failure = { code: "unauthorized", message: "No.", details: {}, requestId: "r1" } as const;
  assert.deepEqual(v2Errors.json?.bodyOf(failure), {
    data: null,
    error: { message: "No.", details: "code=unauthorized; request_id=r1" },
  });
});
