import { ExperimentStatus } from "./experiment.ts";
import { TableGroup } from "./group-values.ts";
import { limits } from "./limits.ts";
import { Liveness } from "./liveness.ts";
import { assignedId, closedObject, count, milliseconds, nullable, reference } from "./schema.ts";
import { metaVersion, seriesVersion } from "./series.ts";
import * as Type from "./type.ts";

/** The table of experiments: rows found by a query, sorted, with the requested columns. */

const language = "docs/query.md describes the language.";

export function queryParameter(description: string) {
  return Type.String({
    description: `${description} ${language}`,
    maxLength: limits.queryCharactersMax,
  });
}

export const fieldName = (description: string) =>
  Type.String({ description, minLength: 1, maxLength: limits.queryCharactersMax });

export const TableSorts = Type.Optional(
  Type.Array(
    closedObject("TableSort", {
      field: fieldName("A field in the language's spelling."),
      descending: Type.Optional(Type.Boolean({ description: "Left out: ascending." })),
    }),
    {
      description:
        "The first field decides, the next ones among equals, finally the ids. Experiments without a value " +
        "come last in either direction. Default: the newest first.",
      maxItems: limits.tableSortsMax,
    },
  ),
);

export const TableBody = closedObject("TableBody", {
  query: Type.Optional(queryParameter("Which experiments; left out: all.")),
  folderId: Type.Optional(reference("Only experiments in this folder and below it.")),
  group: Type.Optional(TableGroup),
  sort: TableSorts,
  columns: Type.Optional(
    Type.Array(fieldName("A field in the language's spelling."), {
      description: "The fields of `values` in the rows.",
      maxItems: limits.tableColumnsMax,
    }),
  ),
  limit: Type.Integer({
    description: "Rows of the reply at most; 0: only the total.",
    minimum: 0,
    maximum: limits.tableRowsMax,
  }),
  offset: Type.Optional(count("Rows to leave out before the first one.")),
  after: Type.Optional(
    Type.String({
      description: "`next` of a reply with the same sort: the rows after it. Not with `offset`.",
      maxLength: limits.tableCursorCharactersMax,
    }),
  ),
});
export type TableBody = Type.Static<typeof TableBody>;

const cut = `cut after ${limits.tableTextCharactersMax} characters`;
const moment = (description: string) => nullable(milliseconds(description));

export const TableRow = closedObject("TableRow", {
  experimentId: assignedId("The experiment."),
  slug: Type.String(),
  name: nullable(
    Type.String({
      description:
        "`_name` of the meta if it is a text, otherwise the tag `mlflow.runName`; null: neither.",
    }),
  ),
  colour: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.coloursMax,
      description: "`_colour` of the meta, a colour that somebody chose; missing: none.",
    }),
  ),
  description: Type.String({ description: `Of the experiment, ${cut}.` }),
  status: ExperimentStatus,
  error: nullable(Type.String({ description: `Message of the last error event, ${cut}.` })),
  folderId: nullable(assignedId("Its folder; null: the root.")),
  createdAtMs: milliseconds("When the slug was opened first."),
  updatedAtMs: milliseconds("Last open, move, start, done or error."),
  beganAtMs: milliseconds(
    "When it began, as the run of an MLflow client says; else the last start, or the first point where that is " +
      "before it, or all points are outside of start and end.",
  ),
  endedAtMs: moment(
    "When it ended, likewise: done or error, or the last point where that is behind it, or all points are " +
      "before the start. Null: it is running.",
  ),
  startedAtMs: moment("Last start; null: never."),
  doneAtMs: moment("Last done; null: never."),
  errorAtMs: moment("Last error; null: never."),
  statusAtMs: milliseconds("Last start, done or error; before the first one, the first open."),
  points: count("Points stored."),
  seriesVersion,
  metaVersion,
  revision: count("Grows with every change of the experiment, points included."),
  appendedAtMs: milliseconds(
    "When points were last stored; before the first one, when it was opened.",
  ),
  liveness: Type.Optional(Liveness),
  values: Type.Array(Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()]), {
    description:
      `Of the columns, in their order; null: it has none. Times are milliseconds since 1970, durations ` +
      `milliseconds, a folder its path, lists and objects JSON. A metric's last value that is not finite is ` +
      `"NaN", "Infinity" or "-Infinity". Texts are ${cut}.`,
  }),
  nonfinite: Type.Optional(
    Type.Array(count("0: all are finite, or the column is not a metric."), {
      description:
        "For each column, in order, the number of the metric's values that are not finite; missing: none. " +
        "Least, largest, first and mean are of the others.",
    }),
  ),
});
export type TableRow = Type.Static<typeof TableRow>;

export const TableReply = closedObject("TableReply", {
  rows: Type.Array(TableRow),
  total: count("Experiments that the query finds."),
  next: Type.Optional(Type.String({ description: "For `after`; left out: these are the last." })),
  asOfMs: milliseconds(
    "Metrics and meta include everything acknowledged until this time, some seconds ago.",
  ),
  behind: count(
    "Experiments with metrics or meta not up to date, among those that the query finds or may find later.",
  ),
  late: count("Those of them behind for more than ten seconds."),
  unknown: Type.Optional(
    Type.Array(
      closedObject("UnknownField", {
        field: Type.String({
          description: "As the query or a column has it, in the language's spelling.",
        }),
        near: Type.Array(Type.String(), {
          description: "Existing fields that may be meant, the nearest first; at most three.",
        }),
      }),
      {
        description:
          "Metas and metrics of the query and the columns that no experiment has; left out: none.",
      },
    ),
  ),
});
export type TableReply = Type.Static<typeof TableReply>;

/** Parameters of the table as CSV. */
export const TableCsvQuery = Type.Object({
  query: Type.Optional(queryParameter("Which experiments; left out: all.")),
  folderId: Type.Optional(reference("Only experiments in this folder and below it.")),
  sort: Type.Optional(
    queryParameter("Fields separated by commas, each optionally followed by `desc`."),
  ),
  columns: Type.Optional(queryParameter("Fields separated by commas; default: none.")),
  by: Type.Optional(
    queryParameter(
      "Fields separated by commas: a row is a group, the one with the most experiments first, with count, mean, " +
        "min and max of each column. `sort` is not used.",
    ),
  ),
});
