import type { Field, Query, WaitReply } from "@lossless/protocol";
import { parseCondition } from "@lossless/protocol/condition";
import { limits } from "@lossless/protocol/limits";
import { fieldText } from "@lossless/protocol/query-field";
import { fieldsOf } from "@lossless/protocol/query-language";
import { queryText } from "@lossless/protocol/query-text";
import type { Reader } from "../database/database.ts";
import type { Moment } from "../ground/clock.ts";
import type { RevisionContext } from "../experiments/series/revisions.ts";
import { isBehind } from "./table/summaries-behind.ts";
import { readWords } from "./table/read-words.ts";
import { readRows } from "./table/table-rows.ts";
import { findExisting, type Table } from "./table/table-search.ts";
import { openTable } from "./table/table.ts";
import { nearFields } from "./table/unknown-fields.ts";
import { readStates } from "./changes.ts";

export interface ReadCondition {
  organizationId: string;
  experimentId: string;
  until: string;
}

/** How a condition is, and what a wait has to know to go on. */
export interface Condition {
  reply: WaitReply;
  revision: number;
  /** Whether the summaries miss points or a meta, with which the condition may be another. */
  isBehind: boolean;
  /** Whether time alone may change the outcome. */
  ripens: boolean;
}

/**
 * Time after the end of the newest attempt from which a run counts as ended: until then its
 * launcher may start the next one, and a script that has finished may still say `done`.
 */
const restartWithinMs = 60_000;

/**
 * `views.condition`: tests a condition on one experiment, with everything that its summaries have.
 * Undefined: there is no such experiment.
 */
export async function readCondition(
  reader: Reader,
  { organizationId, experimentId, until }: ReadCondition,
  { revisionJump, nowMs }: Pick<RevisionContext, "revisionJump"> & Moment,
): Promise<Condition | undefined> {
  const query = readWords("until", () => parseCondition(until));
  const shown = shownFields(query);
  const body = { query: queryText(query), columns: shown.map(fieldText) };
  const { search, columns } = await openTable(reader, organizationId, body, nowMs);
  const ids = [experimentId];
  const [row] = await readRows(reader, search, columns, ids);
  if (row === undefined) return undefined;
  const asked = { organizationId, experimentIds: ids };
  const { experiments } = await readStates(reader, asked, { revisionJump, nowMs });
  const [{ revision }] = experiments;
  const behind = await isBehind(reader, experimentId);
  const holds = (await findExisting(search, ids)).length > 0;
  const { slug, status, error, points, liveness } = row;
  const isOver = status !== "running" || hasLeft(liveness, nowMs);
  // A run that ended without the condition may have points that the summaries do not know yet.
  const outcome = holds ? "holds" : isOver && !behind ? "ended" : "waiting";
  const values = columns.map((field, at) => ({ field: fieldText(field), value: row.values[at] }));
  const reply: WaitReply = {
    outcome,
    experimentId,
    slug,
    status,
    error,
    points,
    values,
    missing: await readMissing(reader, search, columns, experimentId),
    ...(liveness !== undefined && { liveness }),
    atMs: nowMs,
  };
  const ripens = liveness !== undefined || fieldsOf(query).some(isOfTime);
  return { reply, revision, isBehind: behind, ripens };
}

/** The fields of a condition, each once; an experiment may have written many artifacts. */
function shownFields(query: Query): Field[] {
  const fields = fieldsOf(query).map((field) => [fieldText(field), field] as const);
  return [...new Map(fields).values()].filter(
    (field) => field.kind !== "own" || field.name !== "artifact",
  );
}

function hasLeft(liveness: WaitReply["liveness"], nowMs: number): boolean {
  if (liveness === undefined) return false;
  const { state, sinceMs } = liveness;
  if (state === "running" || state === "silent" || state === "preempted") return false;
  return sinceMs + restartWithinMs <= nowMs;
}

const ofTime: ReadonlySet<string> = new Set(
  "age silent duration state created began started updated done".split(" "),
);

function isOfTime(field: Field): boolean {
  return field.kind === "own" && ofTime.has(field.name);
}

/** Returns the metrics of a condition of which the experiment has recorded nothing so far. */
async function readMissing(
  reader: Reader,
  { names }: Table["search"],
  fields: readonly Field[],
  experimentId: string,
): Promise<WaitReply["missing"]> {
  const metrics = fields.filter((field) => field.kind === "metric");
  if (metrics.length === 0) return [];
  const summaries = await reader.all<{ metric: number }>(
    `SELECT metric FROM metric_summary
     WHERE experiment = $1 AND ${reader.isOneOfIntegers("metric", "$2")}`,
    experimentId,
    JSON.stringify(metrics.flatMap((field) => names.metric(field) ?? [])),
  );
  const known = new Set(summaries.map(({ metric }) => metric));
  const missing = metrics.filter((field) => !known.has(names.metric(field) ?? -1));
  if (missing.length === 0) return [];
  const series = await reader.all<{ name: string }>(
    "SELECT DISTINCT name FROM series WHERE experiment = $1 ORDER BY name LIMIT $2",
    experimentId,
    limits.fieldsComparedMax,
  );
  const recorded = series.map(({ name }) => name);
  return missing.flatMap((field) => {
    // Recorded, and not yet in the summaries.
    if (recorded.includes(field.name) && field.partition === undefined) return [];
    const near = nearFields(field, { metas: [], metrics: recorded });
    return [{ field: fieldText(field), near }];
  });
}
