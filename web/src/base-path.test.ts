import assert from "node:assert/strict";
import { after, before, beforeEach, suite, test } from "node:test";
import { h } from "preact";
import { isBelow, placed, placeLinks, serviceUrl, unplaced } from "./base-path.ts";

suite("the path below which the pages stand", () => {
  const dataset: { base?: string } = {};
  const location = { origin: "https://host.test" };
  before(() => {
    Object.assign(globalThis, { window: { location }, document: { documentElement: { dataset } } });
    placeLinks();
  });
  after(() => ["window", "document"].forEach((name) => Reflect.deleteProperty(globalThis, name)));
  beforeEach(() => void delete dataset.base);

  test("without one every address stays as it is", () => {
    for (const address of ["/", "/experiments?q=a#b", "https://x.test/a", "#a", ""]) {
      assert.equal(placed(address), address);
      if (address.startsWith("/")) assert.equal(unplaced(address), address);
    }
    assert.equal(serviceUrl(), "https://host.test");
    assert.equal(h("a", { href: "/experiments" }).props.href, "/experiments");
  });

  test("goes before an address of ours once, and is taken off", () => {
    dataset.base = "/tools/lossless";
    assert.equal(serviceUrl(), "https://host.test/tools/lossless");
    for (const address of ["/", "/experiments", "/experiments?q=/tools/lossless#b"]) {
      assert.equal(placed(address), `/tools/lossless${address}`);
      assert.equal(placed(placed(address)), placed(address));
      assert.equal(unplaced(placed(address)), address);
    }
    assert.equal(unplaced("/tools/lossless"), "/");
    for (const address of ["https://x.test/a", "#a", ""]) assert.equal(placed(address), address);
    for (const path of ["/tools", "/tools/losslessly", "/experiments"]) {
      assert.equal(isBelow(path), false);
      assert.equal(unplaced(path), path);
    }
  });

  test("comes to every link that is drawn, and to nothing else", () => {
    dataset.base = "/lossless";
    assert.equal(h("a", { href: "/experiments" }).props.href, "/lossless/experiments");
    assert.equal(h("a", { href: "https://x.test/" }).props.href, "https://x.test/");
    assert.equal(h("a", {}).props.href, undefined);
    assert.equal(h("bdi", { href: "/experiments" } as object).props.href, "/experiments");
  });
});
