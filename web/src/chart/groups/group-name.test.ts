import assert from "node:assert/strict";
import { test } from "node:test";
import { groupName } from "./group-name.ts";

test("a group is named by its values, and its keys are told once for all", () => {
  assert.deepEqual(groupName(["meta.optimizer.name", "experiment.status"], ["adamw", ""]), {
    name: 'adamw, ""',
    whole: 'optimizer.name=adamw status=""',
    keys: "optimizer.name, status",
  });
  assert.deepEqual(groupName([], []), { name: "all", whole: "" });
});
