import { counterOf } from "./counter.ts";
import { counterFlag, type PointColumns } from "../point-batch.ts";

/** Counters of one prefix that follow each other, one for each point of a batch. */
export interface CounterRun {
  /** Index into the batch's prefixes. */
  prefix: number;
  first: number;
}

/** Fewer points are looked up one by one. */
const countMin = 16;

/** Returns the run that the identifiers of all points are, as our own clients number them. */
export function counterRunOf(
  { identifier, partition }: PointColumns,
  count: number,
): CounterRun | undefined {
  if (count < countMin) return undefined;
  const prefix = identifier[0];
  const first = counterOf(identifier[2], identifier[3]);
  for (let index = 0, at = 0; index < count; index++, at += 4) {
    const isNext =
      partition[index] >= counterFlag &&
      identifier[at] === prefix &&
      counterOf(identifier[at + 2], identifier[at + 3]) === first + index;
    if (!isNext) return undefined;
  }
  return { prefix, first };
}
