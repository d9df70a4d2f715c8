import type { LosslessClient, TableBody, TableReply, TableRow } from "@lossless/client";
import { csvCell } from "@lossless/protocol/csv-cell";
import { guessedQuery } from "@lossless/protocol/query-guess";
import { parseQuery } from "@lossless/protocol/query-language";
import { parseColumns, parseSort } from "@lossless/protocol/query-list";
import { noPositionals, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { countText, table, timeText } from "../../output.ts";
import { pointed } from "../../pointed.ts";

export const runs = serviceCommand({
  usage: "runs [--query Q] [options]",
  help: `
Finds experiments by their meta, metrics, status and times, one a line, the newest first.

  --query Q          which ones (all), for instance: metric.val/loss.min < 3.28 and meta.lr >= 0.001
                     not slug ~ *test* created > -7d; docs/query.md has the language
  --view NAME        a saved view, with its order and columns unless you give these; a query narrows it
  --sort F           fields separated by commas, each optionally followed by desc
  --columns F        fields separated by commas: meta.lr, metric.val/loss.min, duration
  --limit N          lines at most, 1 to 100000 (50; with --csv all)
  --csv              CSV with a heading, for other programs; --json has everything of each row`,
  options: {
    query: { type: "string" },
    view: { type: "string" },
    sort: { type: "string" },
    columns: { type: "string" },
    limit: { type: "string" },
    csv: { type: "boolean" },
  },
  async run(invocation) {
    noPositionals(invocation);
    const { values, output } = invocation;
    const isCsv = values.flag("csv");
    if (isCsv && output.json) throw new UsageError("--csv and --json exclude each other");
    const query = values.text("query") ?? "";
    pointed("query", query, parseQuery);
    const ownColumns = pointed("columns", values.text("columns") ?? "", parseColumns);
    const ownSort = pointed("sort", values.text("sort") ?? "", parseSort);
    const limit = values.integer("limit", isCsv ? Infinity : 50, 1, 100_000);
    const client = clientOf(invocation);
    const view = values.text("view");
    const table = view === undefined ? undefined : await savedTable(client, view);
    const columns = values.text("columns") === undefined ? (table?.columns ?? []) : ownColumns;
    const sort = ownSort.length > 0 ? ownSort : (table?.sort ?? []);
    const body = {
      query: bothQueries(table?.query ?? "", query),
      columns,
      ...(typeof table?.folderId === "string" && { folderId: table.folderId }),
      ...(sort.length > 0 && { sort }),
    };
    const pages = readPages(client, body, limit);
    if (isCsv) {
      await output.write(csvLine([...heads, ...columns]));
      for await (const { rows } of pages)
        for (const row of rows)
          await output.write(csvLine([...heads.map((head) => row[head]), ...row.values]));
      return;
    }
    const rows: TableRow[] = [];
    let total = 0;
    let unknown: TableReply["unknown"];
    for await (const page of pages) {
      rows.push(...page.rows);
      ({ total, unknown } = page);
    }
    const answer = { total, columns, rows, ...(unknown !== undefined && { unknown }) };
    const guess = total === 0 ? guessedQuery(query) : undefined;
    output.answer(answer, () =>
      [shown(rows, total, columns), ...guessText(guess), ...unknownText(unknown)].join("\n"),
    );
  },
});

const rowsPerRequest = 1_000;

/** Finds a saved view; one's own comes before the organization's of the same name. */
async function savedTable(client: LosslessClient, name: string) {
  const views = (await client.savedViews.list()).filter(({ table }) => table !== null);
  const found = views.find((view) => view.name === name)?.table;
  if (found != null) return found;
  const names = [...new Set(views.map((view) => view.name))].join(", ") || "none";
  throw new UsageError(
    `--view: there is no saved view "${name}" of the table; the views are: ${names}`,
  );
}

function guessText(guess: string | undefined): string[] {
  return guess === undefined ? [] : [`Did you mean: ${guess}`];
}

function bothQueries(...queries: string[]): string {
  const [first = "", second] = queries.filter((query) => query.trim() !== "");
  return second === undefined ? first : `(${first}) and (${second})`;
}

/** Yields pages of rows; the last one is cut. */
async function* readPages(
  client: LosslessClient,
  body: Omit<TableBody, "limit">,
  limit: number,
): AsyncGenerator<TableReply> {
  let left = limit;
  let after: string | undefined;
  do {
    const page = await client.views.experiments({
      ...body,
      limit: Math.min(left, rowsPerRequest),
      ...(after !== undefined && { after }),
    });
    yield page;
    left -= page.rows.length;
    after = page.next;
  } while (after !== undefined && left > 0);
}

const heads = ["slug", "name", "status", "createdAtMs", "points"] as const;

function csvLine(values: readonly TableRow["values"][number][]): string {
  return `${values.map(csvCell).join(",")}\n`;
}

function shown(rows: readonly TableRow[], total: number, columns: readonly string[]): string {
  if (rows.length === 0) return "No experiments.";
  const areNamed = rows.some(({ slug, name }) => name !== null && name !== slug);
  const lines = table(
    ["SLUG", ...(areNamed ? ["NAME"] : []), "STATUS", "BEGAN", "POINTS", ...columns],
    rows.map(({ slug, name, status, beganAtMs, points, values, nonfinite }) => [
      slug,
      ...(areNamed ? [name ?? ""] : []),
      status,
      timeText(beganAtMs),
      countText(points),
      ...values.map((value, at) => cellText(value, nonfinite?.[at])),
    ]),
  );
  if (rows.length === total) return lines;
  return `${lines}\n${countText(rows.length)} of ${countText(total)}; --limit gives more.`;
}

function unknownText(unknown: TableReply["unknown"] = []): string[] {
  return unknown.map(({ field, near }) => {
    return `No experiment has ${field}${near.length > 0 ? `; did you mean ${near.join(" or ")}?` : "."}`;
  });
}

/** Marks a best value when some of the values were not finite. */
function cellText(value: TableRow["values"][number], nonfinite = 0): string {
  if (value === null) return "-";
  return nonfinite > 0 && Number.isFinite(value) ? `${String(value)} ▲` : String(value);
}
