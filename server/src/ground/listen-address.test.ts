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
  const [plain, ported] = ["https://keys.example/lossless", "https://keys.example:8443"];
  const warning = (issuerUrl: string | undefined, baseUrl: string | undefined) =>
    issuerPortWarning({ issuerUrl, baseUrl });
  for (const wrong of [
    warning(ported, undefined),
    warning(ported, plain),
    warning(undefined, ported),
  ])
    assert.match(wrong ?? "", /:8443 has a port.*lossless issuer export/);
  for (const fine of [
    warning(undefined, undefined),
    warning(plain, ported),
    warning(undefined, plain),
    warning(undefined, "http://127.0.0.1:7070"),
  ])
    assert.equal(fine, undefined);
});

test("the address of a listener", () => {
  assert.equal(listenUrl("localhost", 7070), "http://localhost:7070");
  assert.equal(listenUrl("::1", 7070), "http://[::1]:7070");
});
