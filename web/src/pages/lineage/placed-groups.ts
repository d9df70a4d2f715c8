import type { Folded, FoldedGraph } from "./folded.ts";

export interface PlacedGroup extends Folded {
  x: number;
  y: number;
}

export interface Placed {
  groups: PlacedGroup[];
  width: number;
  height: number;
}

export const nodeWidth = 208;
export const nodeHeight = 44;
const columnGap = 72;
const rowGap = 12;
const margin = 8;

/**
 * Puts groups into columns by distance, from what came first on the left. Within a column a group
 * stands near the middle of what it hangs on, so that few lines cross.
 */
export function placedGroups({ groups, edges }: FoldedGraph): Placed {
  const rows = new Map<string, number>();
  const columns = Map.groupBy(groups, ({ distance }) => distance);
  const order = [...columns.keys()].toSorted((one, two) => Math.abs(one) - Math.abs(two));
  for (const distance of order) {
    const column = columns.get(distance)!;
    const middles = new Map(column.map(({ id }) => [id, middleOf(id, edges, rows)]));
    const sorted = column.toSorted((one, two) => middles.get(one.id)! - middles.get(two.id)!);
    // Rows count from the middle of the column.
    for (const [at, { id }] of sorted.entries()) rows.set(id, at - (sorted.length - 1) / 2);
  }
  const least = Math.min(...groups.map(({ distance }) => distance));
  const most = Math.max(...groups.map(({ distance }) => distance));
  const highest = Math.max(...[...columns.values()].map(({ length }) => length));
  const height = highest * (nodeHeight + rowGap) - rowGap + 2 * margin;
  const placed = groups.map((group) => ({
    ...group,
    x: margin + (group.distance - least) * (nodeWidth + columnGap),
    y: height / 2 - nodeHeight / 2 + rows.get(group.id)! * (nodeHeight + rowGap),
  }));
  const width = (most - least + 1) * (nodeWidth + columnGap) - columnGap + 2 * margin;
  return { groups: placed, width, height };
}

/** The mean row of the neighbours that have one. */
function middleOf(
  id: string,
  edges: FoldedGraph["edges"],
  rows: ReadonlyMap<string, number>,
): number {
  const known = edges.flatMap(({ source, target }) =>
    source === id ? (rows.get(target) ?? []) : target === id ? (rows.get(source) ?? []) : [],
  );
  return known.length === 0 ? 0 : known.reduce((sum, row) => sum + row, 0) / known.length;
}
