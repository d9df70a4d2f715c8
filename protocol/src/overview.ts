import { limits } from "./limits.ts";
import { closedObject, count, oneOfStrings, reference, stringMap } from "./schema.ts";
import { FilterPredicate } from "./series.ts";
import * as Type from "./type.ts";

/** Reductions of series for drawing: what each column of pixels needs, from all points in it. */

const axisValue = (description: string, minimum = 0) =>
  Type.Integer({ description, minimum, maximum: limits.timestampMsMax });

export const OverviewBody = closedObject("OverviewBody", {
  series: Type.Array(
    closedObject("OverviewSelection", {
      experimentId: reference("The experiment; an unknown id has no series."),
      seriesName: reference("One series."),
      filter: Type.Optional(
        Type.Array(FilterPredicate, {
          description: "All must match; left out: every metadata partition.",
          maxItems: limits.filterPredicatesMax,
        }),
      ),
    }),
    {
      description: "Each of their metadata partitions is reduced by itself.",
      minItems: 1,
      maxItems: limits.overviewSeriesMax,
    },
  ),
  xAxis: oneOfStrings("XAxis", ["step", "timestamp"]),
  start: Type.Optional(axisValue("Where the range begins; left out: at the first point.")),
  end: Type.Optional(axisValue("Where it ends, exclusive; left out: behind the last point.", 1)),
  columns: Type.Integer({
    description: "Into so many columns of one width the range is divided.",
    minimum: 1,
    maximum: limits.overviewColumnsMax,
  }),
});
export type OverviewBody = Type.Static<typeof OverviewBody>;

const OverviewPoint = closedObject("OverviewPoint", {
  x: axisValue("Step or millisecond."),
  value: Type.Number(),
});

const numbers = (description: string) => Type.Array(Type.Number(), { description });

const OverviewPartition = closedObject(
  "OverviewPartition",
  {
    experimentId: Type.String(),
    seriesName: Type.String(),
    metadata: stringMap("The partition: the meta that its points have in common."),
    points: count("Points in the range; all of them were considered."),
    min: Type.Optional(OverviewPoint),
    max: Type.Optional(OverviewPoint),
    exact: Type.Optional(
      closedObject(
        "OverviewExact",
        { x: numbers("Steps or milliseconds."), value: numbers("Their values.") },
        { description: "The points themselves, where they are at most four a column." },
      ),
    ),
    reduced: Type.Optional(
      closedObject(
        "OverviewReduced",
        {
          column: numbers("Columns that have points, by number, ascending."),
          count: numbers("Points in the column."),
          first: numbers("The value of its first point on the axis."),
          last: numbers("The value of its last point."),
          min: numbers("Its least value."),
          max: numbers("Its largest value."),
        },
        { description: "What the columns hold, where the points are more." },
      ),
    ),
  },
  { description: "Without points in the range it has neither `exact` nor `reduced`." },
);

export const OverviewReply = closedObject("OverviewReply", {
  xAxis: oneOfStrings("XAxis", ["step", "timestamp"]),
  start: axisValue("Where the first column begins."),
  end: axisValue("Where the last column ends; its own points lie before it."),
  columns: count("As asked for."),
  points: count("Points in the range, of all partitions together."),
  series: Type.Array(OverviewPartition, {
    description: "In the order of the request, partitions by their metadata.",
  }),
});
export type OverviewReply = Type.Static<typeof OverviewReply>;
