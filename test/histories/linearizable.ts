import {
  apply,
  emptyArtifact,
  mayBeLeftOut,
  type Operation,
  type State,
  stateKey,
} from "./operation.ts";

/** The search visits at most so many places; then the history proves nothing, and says so. */
const placesMax = 2_000_000;

/**
 * Whether the operations can be put into one order in which every reply is right and which
 * contradicts no clock: an operation that had its reply before another was sent stands before it
 * (Wing and Gong's search, with Lowe's memory of places already seen). Undefined: linearizable.
 * Otherwise the longest prefix that is, and what could not follow it.
 */
export function findViolation(history: readonly Operation[]): Violation | undefined {
  const operations = [...history].sort((a, b) => a.invokedMs - b.invokedMs);
  const seen = new Set<string>();
  const done = operations.map(() => false);
  let places = 0;
  let deepest: Violation = { explained: 0, of: operations.length, stuck: [] };

  const search = (from: number, count: number, state: State): boolean => {
    const placed: number[] = [];
    // An operation that is allowed now, fits, and changes nothing may as well be placed here.
    let candidates = firstOnes(operations, done, from);
    for (let found = true; found;) {
      found = false;
      for (const index of candidates) {
        if (mayBeLeftOut(operations[index]) || apply(state, operations[index]) !== state) continue;
        done[index] = true;
        placed.push(index);
        found = true;
      }
      if (found) candidates = firstOnes(operations, done, from);
    }
    if (explains(candidates, count + placed.length, state)) return true;
    for (const index of placed) done[index] = false;
    return false;
  };

  const explains = (candidates: number[], count: number, state: State): boolean => {
    const first = operations.findIndex((one, index) => !done[index] && !mayBeLeftOut(one));
    // An operation without a reply that no explanation needs never happened.
    if (first === -1) return true;
    const key = placeKey(operations, done, first, state);
    if (seen.has(key)) return false;
    if (++places > placesMax) throw new Error("the history is too tangled to be judged");
    seen.add(key);
    if (count > deepest.explained || deepest.stuck.length === 0) {
      const stuck = candidates.map((index) => operations[index]);
      deepest = { explained: count, of: operations.length, stuck, state };
    }
    const from = done.indexOf(false);
    for (const index of candidates) {
      const next = apply(state, operations[index]);
      if (next === undefined || next === state) continue;
      done[index] = true;
      if (search(from, count + 1, next)) return true;
      done[index] = false;
    }
    return false;
  };

  return search(0, 0, emptyArtifact) ? undefined : deepest;
}

export interface Violation {
  /** Operations that could be ordered before the search was stuck for good. */
  explained: number;
  of: number;
  /** The operations of which one had to come next and none could. */
  stuck: Operation[];
  state?: State;
}

/** Those that no other operation, still to be placed, has to precede. */
function firstOnes(operations: readonly Operation[], done: boolean[], first: number): number[] {
  let earliestReturn = Infinity;
  const candidates: number[] = [];
  for (let index = first; index < operations.length; index++) {
    const { invokedMs, returnedMs } = operations[index];
    if (invokedMs > earliestReturn) break;
    if (done[index]) continue;
    candidates.push(index);
    earliestReturn = Math.min(earliestReturn, returnedMs);
  }
  return candidates.filter((index) => operations[index].invokedMs <= earliestReturn);
}

/** Which operations are placed: all known ones before `first`, and those listed. */
function placeKey(
  operations: readonly Operation[],
  done: boolean[],
  first: number,
  state: State,
): string {
  const listed = done.flatMap((isDone, index) =>
    isDone && (index > first || mayBeLeftOut(operations[index])) ? [index] : [],
  );
  return `${first}|${listed.join(",")}|${stateKey(state)}`;
}
