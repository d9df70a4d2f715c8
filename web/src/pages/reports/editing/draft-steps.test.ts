import assert from "node:assert/strict";
import { test } from "node:test";
import { draftOf, removed, replaced } from "../report-draft.ts";
import { completed, edited, ended, firstSteps, redone, undone } from "./draft-steps.ts";

const text = (markdown: string) => ({ kind: "text", markdown }) as const;
const wordsOf = ({ draft }: ReturnType<typeof firstSteps>) =>
  draft.map(({ block }) => (block.kind === "text" ? block.markdown : ""));

test("what is typed in one go is one step back, and so is each other edit", () => {
  let steps = firstSteps(draftOf([text("a"), text("b")]));
  const type = (markdown: string) =>
    (steps = edited(steps, replaced(steps.draft, 0, text(markdown)), "0"));
  type("a1");
  type("a12");
  steps = ended(steps);
  type("a123");
  steps = edited(steps, removed(steps.draft, 1), undefined);
  assert.deepEqual(wordsOf(steps), ["a123"]);
  assert.deepEqual(wordsOf((steps = undone(steps))), ["a123", "b"]);
  assert.deepEqual(wordsOf((steps = undone(steps))), ["a12", "b"]);
  assert.deepEqual(wordsOf((steps = undone(steps))), ["a", "b"]);
  assert.equal(undone(steps), steps);
  // What was taken back is made again, until there is another edit.
  assert.deepEqual(wordsOf((steps = redone(steps))), ["a12", "b"]);
  assert.deepEqual(wordsOf((steps = redone(steps))), ["a123", "b"]);
  assert.deepEqual(wordsOf((steps = undone(steps))), ["a12", "b"]);
  type("a13");
  assert.equal(redone(steps), steps);
  assert.deepEqual(wordsOf(undone(steps)), ["a12", "b"]);
});

test("an edit that changes nothing is no step, and what comes meanwhile is in all of them", () => {
  const first = firstSteps(draftOf([text("sending")]));
  assert.equal(edited(first, first.draft, "0"), first);
  const typed = edited(first, replaced(first.draft, 0, text("sending more")), "0");
  const sent = completed(typed, (draft) =>
    draft.map(({ key, block }) =>
      block.kind === "text"
        ? { key, block: text(block.markdown.replace("sending", "sent")) }
        : { key, block },
    ),
  );
  assert.deepEqual(wordsOf(sent), ["sent more"]);
  assert.deepEqual(wordsOf(undone(sent)), ["sent"]);
  const again = completed(undone(typed), (draft) => replaced(draft, 0, text("sent")));
  assert.deepEqual(wordsOf(redone(again)), ["sent"]);
});
