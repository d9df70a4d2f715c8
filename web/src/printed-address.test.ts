import assert from "node:assert/strict";
import { test } from "node:test";
import { printedAddress } from "./printed-address.ts";

test("links of MLflow's clients lead to runs and folders, and nothing else is one", () => {
  const pages: [string, string | undefined][] = [
    ["#/experiments/0/runs/01m8", "/experiments/01m8"],
    ["#/experiments/01m8/runs/01m9/artifacts", "/experiments/01m9"],
    ["#/experiments/01m8/models/m-12", "/experiments?folder=01m8"],
    ["#/experiments/01m8", "/experiments?folder=01m8"],
    ["#/experiments/0", "/experiments"],
    ["#/experiments/..%2f..", undefined],
    ["#/models/a", undefined],
    ["#x", undefined],
    ["", undefined],
  ];
  for (const [hash, address] of pages) assert.equal(printedAddress(hash), address, hash);
});
