import type { DraftBlock } from "../report-draft.ts";

type Draft = readonly DraftBlock[];

/** A draft, and how it was before each edit. */
export interface DraftSteps {
  draft: Draft;
  before: readonly Draft[];
  /** How it was before steps were taken back, the last one at the end. */
  after: readonly Draft[];
  /** Name of the last edit: a following one of the same is no step of its own. */
  of: string | undefined;
}

/** Steps that can be taken back. */
const stepsMax = 100;

export function firstSteps(draft: Draft): DraftSteps {
  return { draft, before: [], after: [], of: undefined };
}

/** The draft after an edit; undefined: an edit that is never joined with another one. */
export function edited(steps: DraftSteps, draft: Draft, of: string | undefined): DraftSteps {
  if (draft === steps.draft) return steps;
  const isJoined = of !== undefined && of === steps.of;
  const before = isJoined ? steps.before : [...steps.before, steps.draft].slice(-stepsMax);
  return { draft, before, after: [], of };
}

/** The draft with what was read or sent meanwhile, which is no edit of a person. */
export function completed(steps: DraftSteps, change: (draft: Draft) => Draft): DraftSteps {
  const { draft, before, after, of } = steps;
  return { draft: change(draft), before: before.map(change), after: after.map(change), of };
}

/** Lets the next edit be a step of its own. */
export function ended(steps: DraftSteps): DraftSteps {
  return steps.of === undefined ? steps : { ...steps, of: undefined };
}

export function undone(steps: DraftSteps): DraftSteps {
  const draft = steps.before.at(-1);
  if (draft === undefined) return steps;
  const after = [...steps.after, steps.draft];
  return { draft, before: steps.before.slice(0, -1), after, of: undefined };
}

export function redone(steps: DraftSteps): DraftSteps {
  const draft = steps.after.at(-1);
  if (draft === undefined) return steps;
  const before = [...steps.before, steps.draft];
  return { draft, before, after: steps.after.slice(0, -1), of: undefined };
}
