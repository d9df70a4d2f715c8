import { limits } from "./limits.ts";
import {
  axisProperties,
  combinedLine,
  partitionWindow,
  selectedSeries,
  seriesOperator,
  ViewProblem,
} from "./overview.ts";
import { closedObject, count, reference, stringMap } from "./schema.ts";
import * as Type from "./type.ts";

/** Raw points of lines: those nearest to a cursor, or the first of a range. */

export const ViewPointsBody = closedObject("ViewPointsBody", {
  series: selectedSeries,
  ...partitionWindow,
  ...axisProperties,
  nearest: Type.Optional(
    Type.Number({
      description:
        "A place on the axis: selects, in each line, the points at the place nearest to it; of two equally near the lower one.",
    }),
  ),
  places: Type.Optional(
    Type.Array(Type.Number(), {
      description:
        "Several places instead of `nearest`: the points of each line nearest to any of them, each point once.",
      minItems: 1,
      maxItems: limits.viewPlacesMax,
    }),
  ),
  start: Type.Optional(
    Type.Number({
      description: "Without these: beginning of the range; default: the first point.",
    }),
  ),
  end: Type.Optional(
    Type.Number({
      description: "End of the range, exclusive; default: after the last point.",
    }),
  ),
  pointsMax: Type.Integer({
    description: "Maximum number of points of each line, the first ones.",
    minimum: 1,
    maximum: limits.viewPointsMax,
  }),
});
export type ViewPointsBody = Type.Static<typeof ViewPointsBody>;

const numbers = (description: string) => Type.Array(Type.Number(), { description });

const placeText = (description: string) =>
  Type.String({
    description,
    maxLength: 32,
    pattern: "^-?[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?$",
    "x-rule": "must be a decimal number",
  });

export const PointsCsvQuery = closedObject("PointsCsvQuery", {
  experimentId: Type.Optional(reference("The experiment.")),
  experimentIds: Type.Optional(
    Type.String({
      description:
        "Instead of `experimentId`: several, separated by commas. Each row then begins with the experiment, " +
        "its slug and the series.",
      maxLength: limits.pointsCsvListCharactersMax,
    }),
  ),
  seriesName: Type.Optional(reference("One series.")),
  seriesNames: Type.Optional(
    Type.String({
      description: "With `experimentIds`, instead of `seriesName`: a JSON list of names.",
      maxLength: limits.pointsCsvListCharactersMax,
    }),
  ),
  operator: Type.Optional(seriesOperator),
  otherSeriesName: Type.Optional(
    reference("With `operator`, and only then: the series by which it changes each value."),
  ),
  metadataKey: Type.Optional(reference("Only partitions with this metadata key.")),
  metadataValue: Type.Optional(
    reference("With `metadataKey`: only partitions with this value of it."),
  ),
  filter: Type.Optional(
    Type.String({
      description: "Instead of these, a JSON list of predicates as in an overview.",
      maxLength: limits.pointsCsvFilterCharactersMax,
    }),
  ),
  ...axisProperties,
  start: Type.Optional(placeText("Beginning of the range; default: the first point.")),
  end: Type.Optional(placeText("End of the range, exclusive; default: after the last point.")),
});
export type PointsCsvQuery = Type.Static<typeof PointsCsvQuery>;

export const ViewPointsReply = closedObject("ViewPointsReply", {
  ...axisProperties,
  partitions: count("Number of matching partitions, skipped ones included."),
  series: Type.Array(
    closedObject("ViewPointsPartition", {
      experimentId: Type.String(),
      seriesName: Type.String(),
      combined: combinedLine,
      metadata: stringMap("The partition: the meta that its points have in common."),
      x: numbers("In units of the axis, ascending."),
      step: Type.Array(Type.Integer()),
      timestampMs: Type.Array(Type.Integer()),
      value: numbers("Their values."),
      isWhole: Type.Boolean({ description: "True: the points are complete." }),
      error: Type.Optional(ViewProblem),
    }),
    { description: "In the order of the request, partitions by their metadata." },
  ),
});
export type ViewPointsReply = Type.Static<typeof ViewPointsReply>;
