import type { QueryError } from "@lossless/protocol/query-error";
import { fieldText } from "@lossless/protocol/query-field";
import { useEffect, useState } from "preact/hooks";
import { type Mend, mendsOf } from "./query-mends.ts";
import { fieldIn, type WantedField, wantedField } from "./wanted-field.ts";

/** Existing fields that an unknown name may mean, and those that experiments of the table have. */
export interface NearFields {
  fields: readonly string[];
  found: ReadonlySet<string>;
}

/** Asks the service for them. */
export type AskNear = (
  wanted: WantedField,
  columns: readonly string[],
  signal: AbortSignal,
) => Promise<NearFields>;

/** Why a query cannot be read, and the queries that may be meant. */
export interface QueryProblem {
  text: string;
  mends: readonly Mend[];
}

/**
 * Describes the error of a query. For an unknown name the language can only guess a field; the
 * service knows the existing ones.
 */
export function useQueryProblem(
  query: string,
  error: QueryError | undefined,
  columns: readonly string[],
  askNear: AskNear,
): QueryProblem {
  const wanted = wantedField(query, error);
  const question = wanted && JSON.stringify([wanted.name, wanted.stat, wanted.test, columns]);
  const [known, setKnown] = useState<NearFields & { question: string }>();
  useEffect(() => {
    if (wanted === undefined || question === undefined) return;
    const stopped = new AbortController();
    const look = async () => {
      const near = await askNear(wanted, columns, stopped.signal);
      if (!stopped.signal.aborted) setKnown({ question, ...near });
    };
    // Without a reply there are no suggestions.
    look().catch(() => setKnown({ question, fields: [], found: new Set() }));
    return () => stopped.abort();
  }, [question, askNear]);
  if (error === undefined || wanted === undefined) return { text: error?.message ?? "", mends: [] };
  const answer = known?.question === question ? known : undefined;
  const { fields = [], found } = answer ?? {};
  // The language knows words of other trackers, which have no statistics.
  const meant = wanted.stat === undefined ? error.meantWith(fields) : fields;
  const shown = meant.map((field) =>
    wanted.stat === undefined ? asShown(field, columns) : [field],
  );
  const isFound = (field: string) => !fields.includes(field) || found?.has(field) === true;
  const here = meant.flatMap((field, at) => (isFound(field) ? shown[at] : []));
  const mends = mendsOf(query, wanted, [...new Set(shown.flat())], new Set(here));
  const text = `No field is called ${wanted.word}.`;
  const isNone = answer !== undefined && mends.length === 0;
  return { text: isNone ? `${text} Keys begin with meta. and metrics with metric.` : text, mends };
}

/** A field, and the statistics of the metric that have a column under the same name. */
function asShown(text: string, columns: readonly string[]): readonly string[] {
  const field = fieldIn(text);
  if (field?.kind !== "metric") return [text];
  const shown = columns.filter((column) => {
    const other = fieldIn(column);
    return other?.kind === "metric" && fieldText({ ...other, stat: "last" }) === text;
  });
  return [...new Set([text, ...shown])];
}
