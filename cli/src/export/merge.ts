import type { SeriesPartition } from "@lossless/client";

export interface MergeOrder {
  xAxis: "step" | "timestamp";
  /** Order of a partition among points that are equal on both axes. */
  rank: (partition: SeriesPartition) => number;
}

export interface MergedPoint {
  partition: SeriesPartition;
  index: number;
}

interface Cursor {
  partition: SeriesPartition;
  rank: number;
  index: number;
}

/**
 * Yields all points of an experiment as one sequence, into one reused object: partitions sorted by
 * (step, timestamp, arrival) or (timestamp, step, arrival) are merged by a heap.
 */
export function* mergePartitions(
  partitions: readonly SeriesPartition[],
  { xAxis, rank }: MergeOrder,
): Generator<MergedPoint> {
  const heap: Cursor[] = [];
  const isBefore = xAxis === "step" ? isBeforeByStep : isBeforeByTimestamp;
  for (const partition of partitions) {
    if (partition.value.length === 0) continue;
    heap.push({ partition, rank: rank(partition), index: 0 });
    rise(heap, heap.length - 1, isBefore);
  }
  while (heap.length > 0) {
    const top = heap[0];
    yield top;
    top.index++;
    if (top.index === top.partition.value.length) {
      const last = heap.pop() as Cursor;
      if (heap.length === 0) return;
      heap[0] = last;
    }
    sink(heap, isBefore);
  }
}

type IsBefore = (left: Cursor, right: Cursor) => boolean;

/** A null step sorts last, as in the service. */
function stepAt({ partition, index }: Cursor): number {
  return partition.step[index] ?? Infinity;
}

function timestampAt({ partition, index }: Cursor): number {
  return partition.timestampMs[index];
}

function isBeforeByStep(left: Cursor, right: Cursor): boolean {
  const leftStep = stepAt(left);
  const rightStep = stepAt(right);
  if (leftStep !== rightStep) return leftStep < rightStep;
  const difference = timestampAt(left) - timestampAt(right);
  return difference !== 0 ? difference < 0 : left.rank < right.rank;
}

function isBeforeByTimestamp(left: Cursor, right: Cursor): boolean {
  const difference = timestampAt(left) - timestampAt(right);
  if (difference !== 0) return difference < 0;
  const leftStep = stepAt(left);
  const rightStep = stepAt(right);
  return leftStep !== rightStep ? leftStep < rightStep : left.rank < right.rank;
}

function rise(heap: Cursor[], start: number, isBefore: IsBefore): void {
  let at = start;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(heap[at], heap[parent])) return;
    exchange(heap, at, parent);
    at = parent;
  }
}

function sink(heap: Cursor[], isBefore: IsBefore): void {
  let at = 0;
  for (;;) {
    let first = at;
    for (const child of [2 * at + 1, 2 * at + 2]) {
      const candidate = heap[child];
      if (candidate !== undefined && isBefore(candidate, heap[first])) first = child;
    }
    if (first === at) return;
    exchange(heap, at, first);
    at = first;
  }
}

function exchange(heap: Cursor[], left: number, right: number): void {
  const cursor = heap[left];
  heap[left] = heap[right];
  heap[right] = cursor;
}
