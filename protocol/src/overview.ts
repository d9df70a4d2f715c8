import { nonfiniteValue } from "./difference.ts";
import { limits } from "./limits.ts";
import { closedObject, count, oneOfStrings, reference, stringMap, variants } from "./schema.ts";
import { FilterPredicate } from "./series.ts";
import * as Type from "./type.ts";

/** Reductions of series for drawing: for each column of pixels, computed from all its points. */

/** The axis along which points are laid; described in docs/views.md. */
export const axisProperties = {
  xAxis: oneOfStrings("ViewAxis", ["step", "offset", "elapsed", "timestamp", "metric"]),
  xSeriesName: Type.Optional(
    reference(
      "With `metric`, and only then: the series of the same experiment whose value at the same step, " +
        "in the partition of the same metadata, is a point's x.",
    ),
  ),
};

/** How a series is combined with another one; in a chart, the first of its two metrics. */
export const seriesOperator = oneOfStrings("SeriesOperator", [
  "plus",
  "minus",
  "times",
  "dividedBy",
]);
export type SeriesOperator = Type.Static<typeof seriesOperator>;

/** Another series by which each value of a series is changed. */
export const SeriesCombination = closedObject(
  "SeriesCombination",
  {
    operator: seriesOperator,
    seriesName: reference("The other series, of the same experiment."),
  },
  {
    description:
      "At each step the last value of the series, and that of the other one there, in the partition " +
      "of the same metadata: one operation on doubles. A step that one of them lacks has no point, " +
      "nor one whose result is not finite. The time is the later one of both.",
  },
);
export type SeriesCombination = Type.Static<typeof SeriesCombination>;

/** A combined line in a reply. */
export const combinedLine = Type.Optional(
  closedObject("CombinedLine", {
    operator: seriesOperator,
    seriesName: Type.String(),
    unpaired: count("Steps, of the whole line, that only one of both has."),
    nonfinite: count(
      "Steps, of the whole line, whose result is not finite, as after a division by 0.",
    ),
  }),
);

export const selectedSeries = Type.Array(
  closedObject("ViewSelection", {
    experimentId: reference("The experiment; an unknown id has no series."),
    seriesName: reference("One series."),
    combined: Type.Optional(SeriesCombination),
    filter: Type.Optional(
      Type.Array(FilterPredicate, {
        description: "All must match; left out: every metadata partition.",
        maxItems: limits.filterPredicatesMax,
      }),
    ),
  }),
  {
    description: "Each of their metadata partitions is a line of its own.",
    minItems: 1,
    maxItems: limits.overviewSeriesMax,
  },
);

/** A range of the requested lines, for results that need several replies. */
export const partitionWindow = {
  partitionsFrom: Type.Optional(count("Number of partitions to skip, in the order of the reply.")),
  partitionsMax: Type.Optional(
    Type.Integer({
      description: "Maximum number of partitions; default: all.",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
  ),
};

const Smoothing = variants("Smoothing", "kind", {
  x: closedObject("SmoothingByX", {
    kind: Type.Literal("x"),
    weight: Type.Number({
      description:
        "Weight of a point one `unit` before each point, against its own: the mean of all points up " +
        "to it, weighted by their distance on the axis. Lines of different density are smoothed " +
        "alike.",
      minimum: 0,
      maximum: limits.emaWeightMax,
    }),
    unit: Type.Optional(
      Type.Number({
        description:
          "In units of the axis; on a logarithmic axis a difference of natural logarithms. Default: " +
          "a thousandth of the distance from the first to the last point of all lines of the reply, " +
          "whatever the range.",
        minimum: limits.smoothUnitMin,
      }),
    ),
  }),
  ema: closedObject("ExponentialSmoothing", {
    kind: Type.Literal("ema"),
    weight: Type.Number({
      description:
        "Weight of earlier points against each new one: an exponential moving average whose start is " +
        "corrected, as TensorBoard draws it.",
      minimum: 0,
      maximum: limits.emaWeightMax,
    }),
  }),
  gauss: closedObject("GaussianSmoothing", {
    kind: Type.Literal("gauss"),
    points: Type.Number({
      description:
        "The standard deviation, in points; neighbours up to three of them away count, on both sides.",
      minimum: 0.1,
      maximum: limits.gaussPointsMax,
    }),
  }),
});
export type Smoothing = Type.Static<typeof Smoothing>;

const rangeStart = "Beginning of the range, in units of the axis";
const rangeEnd = "End of the range, exclusive";

export const OverviewBody = closedObject("OverviewBody", {
  series: selectedSeries,
  ...partitionWindow,
  ...axisProperties,
  xScale: Type.Optional(oneOfStrings("ViewScale", ["linear", "log"])),
  start: Type.Optional(
    Type.Number({ description: `${rangeStart}; left out: at the first point.` }),
  ),
  end: Type.Optional(Type.Number({ description: `${rangeEnd}; default: after the last point.` })),
  columns: Type.Integer({
    description: "Number of equally wide columns of the range.",
    minimum: 1,
    maximum: limits.overviewColumnsMax,
  }),
  align: Type.Optional(
    Type.Boolean({
      description:
        "Of many points over steps the service may then move `start` and `end` outwards, by at most " +
        "2.5 % of the range, and take fewer columns, at least half of them, so that summaries serve " +
        "instead of points. The reply says which; each column is exact for them.",
    }),
  ),
  smooth: Type.Optional(Smoothing),
});
export type OverviewBody = Type.Static<typeof OverviewBody>;

const OverviewPoint = closedObject("OverviewPoint", {
  x: Type.Number({ description: "In units of the axis." }),
  value: Type.Number(),
});

const numbers = (description: string) => Type.Array(Type.Number(), { description });

/** A line as drawn: its points where they are few, else its columns; and its neighbours outside. */
const drawn = {
  before: Type.Optional(OverviewPoint),
  after: Type.Optional(OverviewPoint),
  exact: Type.Optional(
    closedObject(
      "OverviewExact",
      { x: numbers("In units of the axis, ascending."), value: numbers("Their values.") },
      { description: "The points themselves, if there are at most four a column." },
    ),
  ),
  reduced: Type.Optional(
    closedObject(
      "OverviewReduced",
      {
        column: numbers("Columns that have points, by number, ascending."),
        first: numbers("The value of its first point on the axis."),
        last: numbers("The value of its last point."),
        min: numbers("Its least value."),
        max: numbers("Its largest value."),
        mean: numbers("The mean of its values."),
      },
      { description: "The columns, if there are more points." },
    ),
  ),
};

export const ViewProblem = closedObject(
  "ViewProblem",
  {
    code: oneOfStrings(undefined, ["data_corrupted"]),
    message: Type.String(),
  },
  { description: "Why this line cannot be read; the others are not affected." },
);

const OverviewPartition = closedObject(
  "OverviewPartition",
  {
    experimentId: Type.String(),
    seriesName: Type.String(),
    combined: combinedLine,
    metadata: stringMap("The partition: the meta that its points have in common."),
    points: count("Points in the range; all of them were considered."),
    unplaced: Type.Optional(
      count(
        "Points that have no place on the axis: without a partner, or at or below 0 of a logarithmic " +
          "axis without a requested `start`. Missing: none.",
      ),
    ),
    min: Type.Optional(OverviewPoint),
    max: Type.Optional(OverviewPoint),
    lastNonfinite: Type.Optional(
      closedObject(
        "OverviewNonfinite",
        {
          x: Type.Optional(
            Type.Number({ description: "In units of the axis; left out along another metric." }),
          ),
          value: nonfiniteValue,
        },
        {
          description:
            "The last value of the partition, if it is not finite and in the range; it is not a " +
            "point. Left out: the last value is a point.",
        },
      ),
    ),
    mayEndNonfinite: Type.Optional(
      Type.Literal(true, {
        description:
          "Values that are not finite may follow the last point of the range, which then is not its " +
          "last value: the partition has some, and here it is not known where each of them is.",
      }),
    ),
    ...drawn,
    repeated: Type.Optional(
      numbers(
        "On `step` and `offset`, the columns of `reduced` whose steps are known to have been gone " +
          "over again: with several points of one step, or, of several columns in a row, recorded " +
          "after the one behind. Left out: none is known.",
      ),
    ),
    back: Type.Optional(
      numbers(
        "On `step` and `offset`, where several points have one step: the positions in `exact` of " +
          "points recorded before the point ahead of them. Left out: there are none.",
      ),
    ),
    smoothed: Type.Optional(
      closedObject("OverviewSmoothed", drawn, {
        description:
          "The smoothed line, exact or reduced as the original is, with its values at `before` and " +
          "`after`.",
      }),
    ),
    error: Type.Optional(ViewProblem),
  },
  {
    description:
      "Without points in the range it has neither `exact` nor `reduced`. `before` is the last point " +
      "before the range and `after` the first one behind it, where there are such: a line is drawn " +
      "from the one through the range to the other.",
  },
);

export const OverviewReply = closedObject("OverviewReply", {
  ...axisProperties,
  xScale: oneOfStrings("ViewScale", ["linear", "log"]),
  start: Type.Number({ description: "Beginning of the first column." }),
  end: Type.Number({ description: "End of the last column, exclusive." }),
  columns: count("As asked for; with `align` they may be fewer."),
  partitions: count("Number of matching partitions, skipped ones included."),
  points: count("Points in the range, of all lines of this reply together."),
  series: Type.Array(OverviewPartition, {
    description: "In the order of the request, partitions by their metadata.",
  }),
});
export type OverviewReply = Type.Static<typeof OverviewReply>;
