import type { DifferenceReply, TableBody, TableReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { isOfTools } from "../../../chart/groups/keys.ts";
import type { Service } from "../../../signed-in.ts";
import { questionOf, type Selection } from "../compare-address.ts";
import type { ImportanceRows } from "./importance.ts";

/** Experiments at most: a page counts with them while it is used. */
const experimentsMax = 2_000;
/** Keys at most: with the metric as many columns as one read of the table has. */
const keysMax = limits.tableColumnsMax - 1;

export interface ImportanceQuestion {
  asked: Selection;
  /** Ids that are hidden here. */
  hidden: readonly string[];
  /** The metric's field in the query language's spelling. */
  metric: string;
  fields: readonly string[];
}

export interface ReadRows extends ImportanceRows {
  /** Experiments that the query finds, and those of them that were read and are not hidden. */
  found: number;
  read: number;
}

/** Keys that may matter: those that differ among the compared experiments, then common ones. */
export async function readKeys(
  { client }: Service,
  { keys }: Pick<DifferenceReply, "keys">,
  stopped?: AbortSignal,
): Promise<{ fields: string[]; found: number }> {
  const { fields } = await client.views.fields({ text: "meta." }, stopped);
  const common = fields
    .map(({ field }) => field)
    .filter((field) => field.startsWith("meta.") && !isOfTools(field));
  const differing = keys.map(({ field }) => field).filter((field) => !isOfTools(field));
  const all = [...new Set([...differing, ...common])];
  return { fields: all.slice(0, keysMax), found: all.length };
}

/**
 * The values of what a query finds, whatever is compared. Of more than can be read these are the
 * newest: the first by a metric would be a choice by the result.
 */
export async function readRows(
  { client }: Service,
  { asked, hidden, metric, fields }: ImportanceQuestion,
  stopped?: AbortSignal,
): Promise<ReadRows> {
  const body: TableBody = {
    ...questionOf(asked),
    sort: [{ field: "created", descending: true }],
    columns: [...fields, metric],
    limit: limits.tableRowsMax,
  };
  const left = new Set(hidden);
  const rows: TableReply["rows"] = [];
  let reply = await client.views.experiments(body, stopped);
  const { total: found } = reply;
  rows.push(...reply.rows);
  while (reply.next !== undefined && rows.length < experimentsMax) {
    reply = await client.views.experiments({ ...body, after: reply.next }, stopped);
    rows.push(...reply.rows);
  }
  const shown = rows.slice(0, experimentsMax).filter(({ experimentId }) => !left.has(experimentId));
  return {
    fields,
    found,
    read: shown.length,
    rows: shown.flatMap(({ experimentId, values }) => {
      const target = values.at(-1);
      // A value that is not finite is a word.
      return typeof target === "number" ? [{ experimentId, values, target }] : [];
    }),
  };
}
