import type { TableRow } from "@lossless/protocol";
import { queryText } from "@lossless/protocol/query-text";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Service } from "../../signed-in.ts";
import type { Column } from "./columns.ts";
import { betterOf, directionOf, type Marks } from "./marks.ts";
import type { Address } from "./use-address.ts";
import type { TableQuestion } from "./use-table.ts";

/** The best values of the columns, and the row of the baseline. */
export function useMarks(
  service: Service,
  address: Address,
  shown: TableQuestion,
  columns: readonly Column[],
): Marks {
  const { directions } = address;
  const best = useBest(service, shown, columns, directions);
  const baseline = useBaseline(service, address.baseline, shown);
  return { best, baseline, directions };
}

/**
 * The best value of each column with a goal. While not all rows are read, the service is asked for
 * the first row by each of them; what is read and better counts at once.
 */
function useBest(
  { client }: Service,
  { pages, question }: TableQuestion,
  columns: readonly Column[],
  directions: Marks["directions"],
): Marks["best"] {
  const [asked, setAsked] = useState<ReadonlyMap<string, number>>(new Map());
  const rows = pages.rows.value;
  const { isWhole } = pages;
  const goals = columns.flatMap((column, at) => {
    const direction = directionOf(column, directions);
    return direction === "none" ? [] : [{ field: column.field, direction, at }];
  });
  const text = JSON.stringify([question.body.query, question.body.folderId, goals]);
  useEffect(() => {
    setAsked(new Map());
    if (isWhole) return;
    const stopped = new AbortController();
    const look = async () => {
      const found = new Map<string, number>();
      for (const { field, direction } of goals) {
        const sort = [{ field, descending: direction === "most" }];
        const body = { ...question.body, sort, columns: [field], limit: 1 };
        const { rows: first } = await client.views.experiments(body, stopped.signal);
        const value = first[0]?.values[0];
        if (typeof value === "number") found.set(field, value);
      }
      if (!stopped.signal.aborted) setAsked(found);
    };
    // Without a reply nothing is marked.
    look().catch(() => undefined);
    return () => stopped.abort();
  }, [client, text, isWhole, pages.total.value]);
  return useMemo(() => {
    const best = new Map<string, number>();
    for (const { field, direction, at } of goals) {
      const known = asked.get(field);
      if (!isWhole && known === undefined) continue;
      const values = [...rows.values()].map(({ values: cells }) => cells[at]);
      const value = betterOf(direction, [...values, known ?? null]);
      // A single value is not best, nor are equal ones.
      const isOne = isWhole && values.every((each) => typeof each !== "number" || each === value);
      if (value !== undefined && !isOne) best.set(field, value);
    }
    return best;
  }, [rows, asked, text, isWhole]);
}

/** The row of the baseline: as it stands in the table, or else read by itself. */
function useBaseline(
  { client }: Service,
  experimentId: string | undefined,
  { pages, question }: TableQuestion,
): TableRow | undefined {
  const [read, setRead] = useState<TableRow>();
  const rows = [...pages.rows.value.values()];
  const own = rows.find((row) => row.experimentId === experimentId);
  const isRead = experimentId !== undefined && own === undefined;
  const columns = JSON.stringify(question.body.columns);
  useEffect(() => {
    setRead(undefined);
    if (!isRead) return;
    const stopped = new AbortController();
    const look = async () => {
      const value = { kind: "text", text: experimentId } as const;
      const field = { kind: "own", name: "id" } as const;
      const query = queryText({ kind: "compare", field, operator: "=", value });
      const body = { query, columns: question.body.columns ?? [], limit: 1 };
      const reply = await client.views.experiments(body, stopped.signal);
      if (!stopped.signal.aborted) setRead(reply.rows[0]);
    };
    // Without it there are no differences.
    look().catch(() => undefined);
    return () => stopped.abort();
  }, [client, experimentId, isRead, columns]);
  return own ?? read;
}
