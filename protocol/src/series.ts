import * as Type from "./type.ts";
import { limits } from "./limits.ts";
import { closedObject, count, nullable, oneOfStrings, reference, stringMap } from "./schema.ts";

/** Fields common to rows of experiments and to changes of them. */
export const seriesVersion = count(
  "Grows when series of the experiment are deleted, restored or purged: the same points and version mean the same series.",
);

export const metaVersion = count(
  "Grows when its meta changes, and with each note of a value that is not finite.",
);

export const FilterPredicate = closedObject(
  "FilterPredicate",
  {
    metadataKey: reference("The key that a partition must have."),
    metadataValue: Type.Optional(reference("The exact value it must have; left out: any.")),
  },
  { description: "Without metadataValue it requires the key to exist; with it, the exact value." },
);
export type FilterPredicate = Type.Static<typeof FilterPredicate>;

const selection = {
  experimentId: reference("The experiment; an unknown id has no series."),
  filter: Type.Array(FilterPredicate, {
    description: "All must match; empty: every metadata partition.",
    maxItems: limits.filterPredicatesMax,
  }),
  xAxis: oneOfStrings("XAxis", ["step", "timestamp"]),
};

export const SeriesQueryData = closedObject("SeriesQueryData", {
  ...selection,
  seriesName: reference("One series."),
});

export const ExperimentSeriesQueryData = closedObject("ExperimentSeriesQueryData", {
  ...selection,
  seriesNames: Type.Optional(
    Type.Array(reference("A series."), {
      description: "Default: every series. A repeated name counts once.",
      maxItems: limits.seriesNamesMax,
    }),
  ),
});

const counts = { batches: count("Data records sent."), points: count("Points sent.") };

const column = { maxItems: limits.recordPointsMax };

export const SeriesData = closedObject(
  "SeriesData",
  {
    experimentId: Type.String(),
    seriesName: Type.String(),
    metadata: stringMap("The partition: the meta that its points have in common."),
    data: closedObject("SeriesColumns", {
      step: Type.Array(nullable(Type.Integer({ minimum: 0 })), column),
      timestampMs: Type.Array(Type.Integer({ minimum: 0 }), column),
      value: Type.Array(Type.Number(), column),
    }),
  },
  {
    description:
      "Points of one metadata partition; one array index is one point. " +
      `A record has at most ${limits.recordBytesMax} bytes.`,
  },
);
export type SeriesData = Type.Static<typeof SeriesData>;

export const SeriesDoneData = closedObject("SeriesDoneData", counts);

export const ExperimentSeriesSeriesData = closedObject("ExperimentSeriesSeriesData", {
  experimentId: Type.String(),
  seriesName: Type.String(),
  ...counts,
});

export const ExperimentSeriesDoneData = closedObject("ExperimentSeriesDoneData", {
  series: count("Series reported."),
  ...counts,
});
