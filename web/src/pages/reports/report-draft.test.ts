import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, draftOf, inserted, moved, removed, replaced } from "./report-draft.ts";

const text = (markdown: string) => ({ kind: "text", markdown }) as const;
const words = (draft: ReturnType<typeof draftOf>) =>
  blocksOf(draft).map((block) => (block.kind === "text" ? block.markdown : ""));

test("blocks are inserted, moved, replaced and removed by their keys, which stay theirs", () => {
  let draft = draftOf([text("a"), text("b"), text("c")]);
  draft = inserted(draft, text("a2"), 0);
  assert.deepEqual(words(draft), ["a", "a2", "b", "c"]);
  draft = inserted(draft, text("end"));
  assert.equal(new Set(draft.map(({ key }) => key)).size, 5);
  const { key } = draft[1];
  draft = [...moved(draft, key, 1)];
  assert.deepEqual(words(draft), ["a", "b", "a2", "c", "end"]);
  draft = [...moved(draft, key, -1)];
  assert.deepEqual(words(draft), ["a", "a2", "b", "c", "end"]);
  assert.equal(moved(draft, draft[0].key, -1), draft);
  assert.equal(moved(draft, draft[4].key, 1), draft);
  draft = replaced(draft, key, text("new"));
  assert.deepEqual([words(draft)[1], draft[1].key], ["new", key]);
  assert.deepEqual(words(removed(draft, key)), ["a", "b", "c", "end"]);
});
