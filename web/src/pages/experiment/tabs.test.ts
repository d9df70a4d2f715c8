import assert from "node:assert/strict";
import { test } from "node:test";
import { tabAddress, tabOf } from "./tabs.ts";

const tabAt = (search: string) => {
  const parameters = new URLSearchParams(search);
  return tabOf((name) => parameters.get(name) ?? undefined);
};

test("a bare address shows the overview, one that says how charts are drawn shows them", () => {
  for (const search of ["", "tab=overview&r=1~2", "tab=nothing", "mq=lr", "sort=-last"])
    assert.equal(tabAt(search), "overview", search);
  for (const search of ["r=1~2", "x=time", "s=ema:0.9", "pin=a", "m=loss", "y=log", "only=rank=0"])
    assert.equal(tabAt(search), "charts", search);
  assert.equal(tabAt("tab=meta&x=time"), "meta");
});

test("the address of a part leads to it", () => {
  const address = tabAddress("an id", "charts", { pin: "train/loss" });
  assert.equal(address, "/experiments/an%20id?tab=charts&pin=train%2Floss");
});
