import assert from "node:assert/strict";
import { test } from "node:test";
import { nextAddress, signInAddress } from "./next-address.ts";

test("only our own pages are gone on to", () => {
  assert.equal(nextAddress("/device"), "/device");
  const consent = "/oauth/authorize?client_id=lossless-cli&state=%2F%2Fevil";
  assert.equal(nextAddress(consent), consent);
  for (const page of ["/experiments?q=a%20b", "/experiments/an-id?x=time", "/go?slug=a"])
    assert.equal(nextAddress(page), page);
  for (const refused of [
    undefined,
    "",
    "/",
    "/device/../api/v1/org",
    "/experiments/",
    "/experiments/an-id/more",
    "//evil.example/device",
    "///evil.example/device",
    "/\\evil.example/device",
    "\\\\evil.example",
    "/\t/evil.example",
    "/device\r\nlocation: //evil.example",
    "https://evil.example/device",
    "https:/device",
    "javascript:alert(1)",
    "device",
    "/sign-out",
    "/.//evil.example/device",
    "@evil.example/device",
  ]) {
    assert.equal(nextAddress(refused), undefined, String(refused));
  }
});

test("the sign-in page is told in one parameter", () => {
  const address = new URL(signInAddress("/device?a=1&b=2"), "http://own.invalid");
  assert.deepEqual([...address.searchParams], [["next", "/device?a=1&b=2"]]);
});
