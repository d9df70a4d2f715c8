import assert from "node:assert/strict";
import { test } from "node:test";
import { issuerPortWarning, listenUrl, namelessWarning } from "./listen-address.ts";

test("a service that listens everywhere has to be told its name", () => {
  for (const bound of ["0.0.0.0", "::"]) {
    assert.match(namelessWarning(bound, undefined) ?? "", /Set --base-url/);
    assert.equal(namelessWarning(bound, "https://lossless.example"), undefined);
  }
  for (const bound of ["127.0.0.1", "::1", "192.0.2.1"]) {
    assert.equal(namelessWarning(bound, undefined), undefined);
  }
});

test("AWS takes no token issuer with a port", () => {
  assert.match(issuerPortWarning("https://keys.example:8443") ?? "", /lossless issuer export/);
  for (const fine of [undefined, "https://keys.example", "https://keys.example/lossless"]) {
    assert.equal(issuerPortWarning(fine), undefined);
  }
});

test("the address of a listener", () => {
  assert.equal(listenUrl("localhost", 7070), "http://localhost:7070");
  assert.equal(listenUrl("::1", 7070), "http://[::1]:7070");
});
