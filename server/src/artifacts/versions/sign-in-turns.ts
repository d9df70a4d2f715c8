import { setImmediate } from "node:timers/promises";
import { type Signed, StoreError } from "../../buckets/bucket.ts";
import { withDeadline } from "../../ground/deadline.ts";

export interface SigningTurns<Item, Address> {
  items: readonly Item[];
  /** Items that are signed without a break: some milliseconds. */
  perTurn: number;
  sign: (turn: readonly Item[]) => Promise<Signed<Address>>;
  /** Bounds all turns together: clouds that sign by calls may take as long for each of them. */
  deadlineMs?: number | undefined;
  /** Also ends the signing while no address is signed. */
  patience?: AbortSignal | undefined;
}

const usualDeadlineMs = 30_000;

/** Signs in turns, and lets other requests run in between. Throws StoreError. */
export async function* signInTurns<Item, Address>({
  items,
  perTurn,
  sign,
  deadlineMs = usualDeadlineMs,
  patience,
}: SigningTurns<Item, Address>): AsyncIterable<{
  turn: readonly Item[];
  signed: Signed<Address>;
}> {
  const over = AbortSignal.timeout(deadlineMs);
  for (let start = 0; start < items.length; start += perTurn) {
    if (start > 0) await setImmediate();
    const turn = items.slice(start, start + perTurn);
    const ends = start === 0 && patience !== undefined ? AbortSignal.any([over, patience]) : over;
    yield { turn, signed: await withDeadline(ends, () => sign(turn), notInTime) };
  }
}

function notInTime(): never {
  throw new StoreError("timeout", true, "The store has not signed in time.");
}
