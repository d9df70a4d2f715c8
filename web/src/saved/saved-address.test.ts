import assert from "node:assert/strict";
import { test } from "node:test";
import { isSameAddress, openedAddress, pathOf, savedAddress } from "./saved-address.ts";

test("an address is saved without what is ticked, and with what it does not say itself", () => {
  const implied = { q: "status = running", sort: "" };
  assert.equal(
    savedAddress("/experiments?view=running&sel=1,2&cols=meta.lr", implied),
    "/experiments?cols=meta.lr&q=status+%3D+running",
  );
  assert.equal(savedAddress("/experiments?q=own", implied), "/experiments?q=own");
  assert.equal(savedAddress("/experiments"), "/experiments");
});

test("a view is opened at its address, which says which one it is", () => {
  const view = { id: "0h2", address: "/experiments?q=lr" };
  assert.equal(openedAddress(view), "/experiments?q=lr&view=0h2");
  assert.ok(isSameAddress(openedAddress(view), view.address));
  assert.ok(isSameAddress("/experiments?q=a%20b&cols=x", "/experiments?cols=x&q=a+b&sel=3"));
  assert.ok(!isSameAddress("/experiments?q=lr", "/compare?q=lr"));
  assert.ok(!isSameAddress("/experiments?q=lr", "/experiments?q=lr2"));
  assert.equal(pathOf("/compare?e=1"), "/compare");
});
