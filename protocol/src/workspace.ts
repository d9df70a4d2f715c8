import { limits } from "./limits.ts";
import { seriesOperator } from "./overview.ts";
import { savedFacts, savedScope, seenRevision } from "./saved.ts";
import { closedObject, count, milliseconds, nullable, reference, text } from "./schema.ts";
import * as Type from "./type.ts";

/** Workspaces: how the charts of experiments and comparisons are arranged. */

const name = (description: string) => text(1, limits.referenceCharactersMax, description);
const names = (description: string) =>
  Type.Array(name("A metric, or the key of a chart."), {
    description,
    maxItems: limits.layoutNamesMax,
  });
const columns = (description: string) => Type.Integer({ description, minimum: 1, maximum: 6 });
const height = (description: string) => Type.Integer({ description, minimum: 120, maximum: 1_200 });

const LayoutSection = closedObject("LayoutSection", {
  name: text(1, limits.labelCharactersMax, "Its heading."),
  patterns: Type.Optional(
    Type.Array(name("A metric, or a pattern with `*`."), {
      description:
        "The metrics in it; absent: those of the first part of their name, as without a workspace.",
      maxItems: limits.layoutPatternsMax,
    }),
  ),
  isClosed: Type.Optional(Type.Boolean({ description: "Default: only `system` is closed." })),
});
export type LayoutSection = Type.Static<typeof LayoutSection>;

const LayoutChart = closedObject("LayoutChart", {
  key: name("The metric that it shows; of a chart with lines, any text."),
  lines: Type.Optional(
    Type.Array(name("A metric, or a pattern with `*`."), {
      description: "The metrics in it; absent: the one of the key.",
      minItems: 1,
      maxItems: limits.layoutPatternsMax,
    }),
  ),
  operator: Type.Optional(seriesOperator),
  title: Type.Optional(text(1, limits.labelCharactersMax, "Absent: the metrics.")),
  view: Type.Optional(
    text(
      1,
      limits.queryCharactersMax,
      "Axes of its own, as the query of a chart's page: x, xs, r, y, yr, s. What is absent is the page's.",
    ),
  ),
  section: Type.Optional(
    text(1, limits.labelCharactersMax, "Its section; absent: by the patterns of the sections."),
  ),
  columns: Type.Optional(columns("Columns of the page that it covers; default: 1.")),
  height: Type.Optional(height("Height of its plot, in CSS pixels.")),
});
export type LayoutChart = Type.Static<typeof LayoutChart>;

export const Layout = closedObject("Layout", {
  pinned: Type.Optional(names("Charts at the top, in this order.")),
  hidden: Type.Optional(names("Charts that are hidden; a name with `*` is a pattern.")),
  order: Type.Optional(names("Charts that come first in their section, in this order.")),
  sections: Type.Optional(
    Type.Array(LayoutSection, {
      description: "In this order, before those by the first part of a name.",
      maxItems: limits.layoutSectionsMax,
    }),
  ),
  charts: Type.Optional(
    Type.Array(LayoutChart, {
      description: "Charts with settings of their own.",
      maxItems: limits.layoutChartsMax,
    }),
  ),
  columns: Type.Optional(columns("Charts side by side; absent: by the width of the page.")),
  height: Type.Optional(height("Height of plots, in CSS pixels.")),
});
export type Layout = Type.Static<typeof Layout>;

const { name: _, ...facts } = savedFacts;

const workspaceFacts = {
  ...facts,
  folderId: nullable(Type.String({ description: "It applies in this folder and below it." })),
};

export const Workspace = closedObject("Workspace", { ...workspaceFacts, layout: Layout });
export type Workspace = Type.Static<typeof Workspace>;

export const WorkspacesReply = closedObject("WorkspacesReply", {
  workspaces: Type.Array(Workspace),
});
export type WorkspacesReply = Type.Static<typeof WorkspacesReply>;

export const SaveWorkspaceBody = closedObject("SaveWorkspaceBody", {
  scope: savedScope,
  folderId: Type.Optional(reference("Only for charts in this folder and below it.")),
  revision: { ...seenRevision, description: "The revision that was seen; 0: there was none." },
  layout: Layout,
});
export type SaveWorkspaceBody = Type.Static<typeof SaveWorkspaceBody>;

export const WorkspaceVersionsReply = closedObject("WorkspaceVersionsReply", {
  versions: Type.Array(
    closedObject("WorkspaceVersion", {
      revision: count("The revision that it was."),
      changedAtMs: milliseconds("When it was saved."),
      changedBy: Type.String({ description: "E-mail of the person." }),
      layout: Layout,
    }),
    { description: `The newest first, ${limits.workspaceVersionsMax} at most.` },
  ),
});
export type WorkspaceVersionsReply = Type.Static<typeof WorkspaceVersionsReply>;
