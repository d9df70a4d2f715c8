import { ErrorReplyData } from "./envelope.ts";
import { limits } from "./limits.ts";
import { pointMeta, metricName } from "./point.ts";
import { closedObject, count, text } from "./schema.ts";
import * as Type from "./type.ts";

/** Points as columns: the JSON parts of a binary body and of its answer (docs/columns.md). */

/** The head of a body. */
export const ColumnsHead = closedObject("ColumnsHead", {
  partitions: Type.Array(closedObject("ColumnsPartition", { metricName, meta: pointMeta }), {
    description: "What the points belong to, by the index that each point has.",
  }),
  prefixes: Type.Array(
    // An id has a hyphen and a digit behind it.
    text(1, limits.messageIdCharactersMax - 2, "What stands before the hyphen and the counter."),
    { description: "Beginnings of ids, by the index that each run of ids has." },
  ),
});
export type ColumnsHead = Type.Static<typeof ColumnsHead>;

const { properties: errorProperties } = ErrorReplyData;

export const RecordColumnsReply = closedObject("RecordColumnsReply", {
  points: count("Points of the request."),
  stored: count("Points that are stored now."),
  deduplicated: count("Points that were stored before, with the same content."),
  refused: Type.Array(
    closedObject("RefusedPoints", {
      ...errorProperties,
      points: Type.Array(count("Index of a point in the columns, from 0.")),
    }),
    { description: "Points that are not stored, for each reason once." },
  ),
});
export type RecordColumnsReply = Type.Static<typeof RecordColumnsReply>;
