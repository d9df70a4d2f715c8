import type { DifferenceReply } from "@lossless/protocol";
import type { Kind } from "../../../chart/lines/colours.ts";
import type { Compared } from "../use-compared.ts";

/** An experiment as a column of a comparing table. */
export interface Column {
  experimentId: string;
  /** Index among the experiments of the reply. */
  at: number;
  title: string;
  /** Undefined: it is no longer compared, and the next reply lacks its column. */
  kind: Kind | undefined;
  isReference: boolean;
}

/** The columns: the reference first, others in the order of the comparison or of a row. */
export function columnsOf(
  { experiments }: DifferenceReply,
  { experiments: compared, reference }: Compared,
  order?: (at: number) => number | undefined,
): Column[] {
  const byId = new Map(compared.map((one, place) => [one.experimentId, { one, place }]));
  const columns = experiments.map(({ experimentId, slug, name }, at) => {
    const column: Column = {
      experimentId,
      at,
      title: name ?? slug,
      kind: byId.get(experimentId)?.one.kind,
      isReference: experimentId === reference?.experimentId,
    };
    return { column, place: byId.get(experimentId)?.place ?? Infinity, value: order?.(at) };
  });
  return columns
    .sort(
      (left, right) =>
        Number(right.column.isReference) - Number(left.column.isReference) ||
        byValue(left.value, right.value) ||
        left.place - right.place,
    )
    .map(({ column }) => column);
}

/** Orders by value; missing ones come last. */
function byValue(left: number | undefined, right: number | undefined): number {
  if (left === right) return 0;
  if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
  return left - right;
}
