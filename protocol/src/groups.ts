import { limits } from "./limits.ts";
import { axisProperties, OverviewBody, SeriesCombination } from "./overview.ts";
import {
  assignedId,
  closedObject,
  count,
  milliseconds,
  nullable,
  oneOfStrings,
  reference,
  stringMap,
} from "./schema.ts";
import { FilterPredicate } from "./series.ts";
import { fieldName, queryParameter } from "./table.ts";
import { groupFields, groupValues } from "./group-values.ts";
import * as Type from "./type.ts";

/** Groups of the experiments that a query finds: their curves reduced to means. */

const { xScale, start, end, smooth } = OverviewBody.properties;

export const GroupsBody = closedObject("GroupsBody", {
  query: Type.Optional(queryParameter("Which experiments; left out: all.")),
  folderId: Type.Optional(reference("Only experiments in this folder and below it.")),
  experimentIds: Type.Optional(
    Type.Array(reference("An experiment; an unknown one is left out."), {
      description: "The experiments, instead of a query.",
      minItems: 1,
      maxItems: limits.groupNamedMax,
    }),
  ),
  seriesName: reference("The series that is reduced."),
  combined: Type.Optional(SeriesCombination),
  filter: Type.Optional(
    Type.Array(FilterPredicate, {
      description: "All must match; left out: every metadata partition.",
      maxItems: limits.filterPredicatesMax,
    }),
  ),
  by: groupFields,
  byPartition: Type.Optional(
    Type.Array(reference("A key of the metadata of partitions."), {
      description: "Further keys, behind those of `by`.",
      maxItems: limits.groupKeysMax,
    }),
  ),
  ...axisProperties,
  xScale,
  start,
  end,
  columns: Type.Integer({
    description: "Number of equally wide columns of the range.",
    minimum: 1,
    maximum: limits.groupColumnsMax,
  }),
  smooth,
  groupsMax: Type.Optional(
    Type.Integer({
      description: `Groups of the reply, those with the most members. Default: ${limits.groupsUsual}.`,
      minimum: 1,
      maximum: limits.groupsMax,
    }),
  ),
  membersOf: Type.Optional(
    Type.Array(reference("An experiment."), {
      description: "Experiments of which the reply says in which groups their lines are.",
      maxItems: limits.overviewSeriesMax,
    }),
  ),
});
export type GroupsBody = Type.Static<typeof GroupsBody>;

const numbers = (description: string) => Type.Array(Type.Number(), { description });
const counts = (description: string) => Type.Array(Type.Integer(), { description });

const GroupCurve = closedObject("GroupCurve", {
  values: groupValues,
  experiments: count("Experiments in it that have the series."),
  members: count("Its lines: partitions of these experiments."),
  points: count("Points of its members in the range; all of them were considered."),
  unplaced: Type.Optional(count("Points that have no place on the axis, as in an overview.")),
  damaged: Type.Optional(
    count("Members that cannot be read, because stored data is damaged; they count nowhere else."),
  ),
  nonfinite: Type.Optional(
    count("Members that have values that are not finite; they are not points. Left out: none."),
  ),
  column: counts("Columns in which any member has a value, ascending."),
  count: counts("Number of members with a value there."),
  mean: numbers("The mean of their values."),
  min: numbers("The least point of a member there, or the least interpolated value."),
  max: numbers("The largest one, likewise."),
  deviation: numbers(
    "Standard deviation of their values, of a sample (n - 1); 0 of one member. The standard error is this, divided " +
      "by the square root of `count`.",
  ),
  recorded: closedObject(
    "GroupRecorded",
    {
      column: counts("Columns in which any member has a point, ascending."),
      members: counts("Number of members with a point there."),
      x: Type.Array(nullable(Type.Number()), {
        description: "The place of all these points; null: there are several in the column.",
      }),
    },
    { description: "Where members have points; elsewhere their values are interpolated." },
  ),
  before: Type.Optional(
    Type.Number({ description: "The last place of a point before the range." }),
  ),
  after: Type.Optional(Type.Number({ description: "The first place of a point behind it." })),
});
export type GroupCurve = Type.Static<typeof GroupCurve>;

export const GroupsReply = closedObject("GroupsReply", {
  ...axisProperties,
  xScale: oneOfStrings("ViewScale", ["linear", "log"]),
  start: Type.Number({ description: "Beginning of the first column." }),
  end: Type.Number({ description: "End of the last column, exclusive." }),
  columns: count("As asked for."),
  experiments: count("Experiments that the query finds."),
  withoutSeries: count("Those of them that have no points of the series in any group."),
  groups: Type.Array(GroupCurve, { description: "The group with the most members first." }),
  members: Type.Array(
    closedObject("GroupMember", {
      experimentId: assignedId("One of `membersOf`."),
      metadata: stringMap("The metadata of the partition."),
      group: nullable(count("A place in `groups`; null: one of the others.")),
    }),
    { description: "The lines of the experiments of `membersOf`." },
  ),
  others: closedObject(
    "OtherGroups",
    {
      groups: count("Their number."),
      members: count("Their lines, which were not read."),
    },
    { description: "Groups beyond `groupsMax`." },
  ),
  asOfMs: milliseconds("Values of keys include everything acknowledged until this time."),
  behind: count(
    "Experiments with metrics or meta not up to date, among those that the query finds or may find later.",
  ),
  late: count("Those of them behind for more than ten seconds."),
});
export type GroupsReply = Type.Static<typeof GroupsReply>;

// ---- rows of a table

const groupStats = ["experiments", "key", "count", "mean", "min", "max"] as const;

export const ExperimentGroupsBody = closedObject("ExperimentGroupsBody", {
  query: Type.Optional(queryParameter("Which experiments; left out: all.")),
  folderId: Type.Optional(reference("Only experiments in this folder and below it.")),
  by: groupFields,
  columns: Type.Optional(
    Type.Array(fieldName("A field in the language's spelling."), {
      description: "The fields of `columns` in the groups.",
      maxItems: limits.tableColumnsMax,
    }),
  ),
  sort: Type.Optional(
    Type.Array(
      closedObject("GroupSort", {
        of: oneOfStrings(undefined, [...groupStats]),
        at: Type.Optional(
          count("Which key of `by`, or which column, from 0; not with `experiments`. Default: 0."),
        ),
        descending: Type.Optional(Type.Boolean({ description: "Left out: ascending." })),
      }),
      {
        description:
          "The first one decides, the next ones among equals, finally the keys. Groups without a value come last in " +
          "either direction. Default: the most experiments first.",
        maxItems: limits.tableSortsMax,
      },
    ),
  ),
  limit: Type.Integer({
    description: "Groups of the reply at most; 0: only the totals.",
    minimum: 0,
    maximum: limits.tableRowsMax,
  }),
  offset: Type.Optional(count("Groups to leave out before the first one.")),
});
export type ExperimentGroupsBody = Type.Static<typeof ExperimentGroupsBody>;

export const GroupColumn = closedObject("GroupColumn", {
  count: count("Experiments with a number there."),
  others: Type.Optional(
    count("Experiments with a value that is no number, as a text or NaN. Left out: none."),
  ),
  mean: nullable(Type.Number({ description: "Null, as the others: no experiment has a number." })),
  min: nullable(Type.Number()),
  max: nullable(Type.Number()),
});
export type GroupColumn = Type.Static<typeof GroupColumn>;

export const ExperimentGroup = closedObject("ExperimentGroup", {
  values: groupValues,
  experiments: count("Experiments in it."),
  columns: Type.Array(GroupColumn, { description: "In the order of the request." }),
});
export type ExperimentGroup = Type.Static<typeof ExperimentGroup>;

export const ExperimentGroupsReply = closedObject("ExperimentGroupsReply", {
  groups: Type.Array(ExperimentGroup),
  total: count("All groups."),
  experiments: count("Experiments that the query finds: all of them are in groups."),
  asOfMs: milliseconds("Keys and columns include everything acknowledged until this time."),
  behind: count(
    "Experiments with metrics or meta not up to date, among those that the query finds or may find later.",
  ),
  late: count("Those of them behind for more than ten seconds."),
});
export type ExperimentGroupsReply = Type.Static<typeof ExperimentGroupsReply>;
