import { limits } from "./limits.ts";
import { loggedKind } from "./logged.ts";
import { seriesOperator } from "./overview.ts";
import {
  closedObject,
  count,
  milliseconds,
  oneOfStrings,
  reference,
  text,
  variants,
} from "./schema.ts";
import { savedFacts, savedScope, savedName, seenRevision } from "./saved.ts";
import { queryParameter } from "./table.ts";
import * as Type from "./type.ts";

/** Reports: text beside charts and tables that keep their selection. */

/** Fields of every block. */
const placed = {
  width: Type.Optional(oneOfStrings("BlockWidth", ["half"])),
};

const TextBlock = closedObject("TextBlock", {
  kind: Type.Literal("text"),
  ...placed,
  markdown: text(
    0,
    limits.reportTextCharactersMax,
    "Markdown as GitHub has it. HTML in it is shown as text, `![words](picture:…)` is a picture of the " +
      "report, and pictures elsewhere are links.",
  ),
});
export type TextBlock = Type.Static<typeof TextBlock>;

/** Experiments named by id, or found by a query at each view. */
const chosen = {
  experimentIds: Type.Optional(
    Type.Array(reference("An experiment."), { maxItems: limits.reportExperimentsMax }),
  ),
  query: Type.Optional(queryParameter("Instead of the ids: a query, run at each reading.")),
  folderId: Type.Optional(
    reference("With the query: only experiments in this folder and below it."),
  ),
  sort: Type.Optional(
    queryParameter(
      `With the query, of which the first ${limits.reportExperimentsMax} are drawn: fields separated by commas, ` +
        "each optionally followed by `desc`. Default: the newest first.",
    ),
  ),
};

const ChartBlock = closedObject("ChartBlock", {
  kind: Type.Literal("chart"),
  ...placed,
  ...chosen,
  seriesName: Type.String({ minLength: 1, maxLength: limits.referenceCharactersMax }),
  otherSeriesNames: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: limits.referenceCharactersMax }), {
      description: "Further series on the same axes.",
      maxItems: limits.layoutPatternsMax,
    }),
  ),
  operator: Type.Optional(seriesOperator),
  referenceId: Type.Optional(
    reference(
      "The experiment whose annotations and versions are shown below, if it is one of them; default: the first one.",
    ),
  ),
  title: text(0, limits.labelCharactersMax, "Empty: the name of the series."),
  view: text(
    0,
    limits.queryCharactersMax,
    "How it is drawn, as the query of a chart's page: x, xs, r, y, yr, s, split, only.",
  ),
  pinned: Type.Optional(
    closedObject(
      "PinnedChart",
      {
        atMs: milliseconds("When it was pinned."),
        points: count("Points that it considered then."),
      },
      {
        description:
          "The experiments and the range are fixed at that time; points recorded into the range later are shown and counted.",
      },
    ),
  ),
});
export type ChartBlock = Type.Static<typeof ChartBlock>;

const TableBlock = closedObject("TableBlock", {
  kind: Type.Literal("table"),
  ...placed,
  query: queryParameter("Which experiments; empty: all."),
  folderId: Type.Optional(reference("Only experiments in this folder and below it.")),
  columns: queryParameter("Fields separated by commas."),
  sort: queryParameter("Fields separated by commas, each optionally followed by `desc`."),
  limit: Type.Integer({ minimum: 1, maximum: limits.reportRowsMax }),
});
export type TableBlock = Type.Static<typeof TableBlock>;

const MediaBlock = closedObject("MediaBlock", {
  kind: Type.Literal("media"),
  ...placed,
  ...chosen,
  limit: Type.Optional(
    Type.Integer({
      description: `With the query: how many of the experiments that it finds first are shown; default: ${limits.reportMediaRunsUsual}.`,
      minimum: 1,
      maximum: limits.reportExperimentsMax,
    }),
  ),
  media: loggedKind,
  name: text(
    0,
    limits.loggedNameCharactersMax,
    "The name under which the experiments logged it: pictures, tables, plots and so on.",
  ),
  step: Type.Optional(count("The items at the step nearest to this one; absent: the newest.")),
  title: text(0, limits.labelCharactersMax, "Empty: the name."),
});
export type MediaBlock = Type.Static<typeof MediaBlock>;

export const ReportBlock = variants("ReportBlock", "kind", {
  text: TextBlock,
  chart: ChartBlock,
  table: TableBlock,
  media: MediaBlock,
});
export type ReportBlock = Type.Static<typeof ReportBlock>;

const blocks = Type.Array(ReportBlock, {
  description: `From top to bottom; ${limits.reportBytesMax.toLocaleString("en")} bytes together at most.`,
  maxItems: limits.reportBlocksMax,
});

export const Report = closedObject("Report", { ...savedFacts, blocks: Type.Array(ReportBlock) });
export type Report = Type.Static<typeof Report>;

export const ReportsReply = closedObject("ReportsReply", {
  reports: Type.Array(closedObject("ReportHead", savedFacts), {
    description: "The caller's own and the organization's, the last changed first.",
  }),
});
export type ReportsReply = Type.Static<typeof ReportsReply>;

/** How a text names a picture of its report, behind `picture:`. */
export const pictureName = Type.String({
  description: "The picture, as its texts name it behind `picture:`.",
  pattern: "^[0-9a-f]{32}$",
  "x-rule": "must be 32 hexadecimal digits",
});

export const AddedPicture = closedObject("AddedPicture", {
  picture: Type.String({ description: "Put it into a text as `![words](picture:…)`." }),
  type: oneOfStrings("PictureType", ["image/png", "image/jpeg", "image/webp", "image/gif"]),
  width: count("In pixels."),
  height: count("In pixels."),
});
export type AddedPicture = Type.Static<typeof AddedPicture>;

export const CreateReportBody = closedObject("CreateReportBody", {
  name: savedName,
  scope: savedScope,
  blocks,
});
export type CreateReportBody = Type.Static<typeof CreateReportBody>;

export const ChangeReportBody = closedObject("ChangeReportBody", {
  revision: seenRevision,
  name: Type.Optional(savedName),
  scope: Type.Optional(savedScope),
  blocks: Type.Optional(blocks),
});
export type ChangeReportBody = Type.Static<typeof ChangeReportBody>;
