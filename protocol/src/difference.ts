import { limits } from "./limits.ts";
import {
  assignedId,
  closedObject,
  count,
  milliseconds,
  nameSearch,
  nullable,
  oneOfStrings,
  reference,
} from "./schema.ts";
import { queryParameter, TableSorts } from "./table.ts";
import * as Type from "./type.ts";

/** Differences between experiments: keys of their metas, and summaries of their metrics. */

const contains = (what: string) =>
  Type.Optional(
    Type.String({
      description: `Only ${what} that fit this ${nameSearch}. Default: all.`,
      maxLength: limits.patternCharactersMax,
    }),
  );

const atMost = (what: string, maximum: number) =>
  Type.Optional(Type.Integer({ description: `${what} Default: ${maximum}.`, minimum: 0, maximum }));

export const DifferenceBody = closedObject("DifferenceBody", {
  experimentIds: Type.Optional(
    Type.Array(reference("An experiment; an unknown one is left out."), {
      description:
        "The experiments to compare, in this order. Left out: the first that the query finds.",
      maxItems: limits.differenceExperimentsMax,
    }),
  ),
  query: Type.Optional(
    queryParameter(
      "Which experiments are compared; with `experimentIds`, which others these are set apart from. Left out: all.",
    ),
  ),
  folderId: Type.Optional(reference("Only experiments in this folder and below it.")),
  sort: TableSorts,
  apart: Type.Optional(
    Type.Boolean({
      description:
        "Compare the experiments of `experimentIds` with all others that the query finds.",
    }),
  ),
  text: contains("keys"),
  equalKeys: Type.Optional(Type.Boolean({ description: "Give keys that are equal, too." })),
  hiddenKeys: Type.Optional(
    Type.Boolean({
      description:
        "Give keys that begin with an underscore, too, the command of `_source`, and the tags that MLflow's clients write by themselves.",
    }),
  ),
  keysMax: atMost("Keys of the reply, and of `apart`.", limits.differenceKeysMax),
  metricText: contains("metrics"),
  metricsMax: Type.Optional(
    Type.Integer({
      description:
        `Metrics of the reply, each with a summary for each experiment: ` +
        `${limits.differenceSummariesMax.toLocaleString("en")} summaries at most. ` +
        `Default: ${limits.differenceMetricsMax}.`,
      minimum: 0,
      maximum: limits.differenceSummariesMax,
    }),
  ),
});
export type DifferenceBody = Type.Static<typeof DifferenceBody>;

export const ComparedValue = closedObject("ComparedValue", {
  kind: oneOfStrings("ComparedValueKind", ["null", "boolean", "number", "text", "list", "object"]),
  text: Type.String({
    description:
      `A text itself, other values as the recorded JSON, with all digits of a number; cut after ` +
      `${limits.differenceTextCharactersMax.toLocaleString("en")} characters.`,
  }),
  isCut: Type.Boolean({ description: "The value is longer than its text." }),
});
export type ComparedValue = Type.Static<typeof ComparedValue>;

export const ComparedKey = closedObject("ComparedKey", {
  field: Type.String({ description: "In the language's spelling, as in `meta.optimizer.lr`." }),
  values: Type.Array(ComparedValue, {
    description:
      "Its different values, in order of appearance. Numbers are equal however they are written.",
  }),
  valueOf: Type.Array(nullable(count("A place in `values`.")), {
    description: "Which one each experiment has, in their order; null: it lacks the key.",
  }),
});
export type ComparedKey = Type.Static<typeof ComparedKey>;

export const nonfiniteValue = oneOfStrings("NonfiniteValue", ["NaN", "Infinity", "-Infinity"]);

export const ComparedSummary = closedObject("ComparedSummary", {
  points: count("How many; 0: no value is finite, and all but the last one is null."),
  nonfinite: Type.Optional(count("Number of values that are not finite; missing: none.")),
  first: nullable(Type.Number()),
  firstStep: nullable(count("Step of the first point.")),
  last: Type.Union([Type.Number(), nonfiniteValue], {
    description: "The last of all values, finite or not.",
  }),
  lastStep: Type.Integer({ description: "Step of the last value." }),
  min: nullable(Type.Number()),
  minStep: nullable(count("The smallest step with this value.")),
  max: nullable(Type.Number()),
  maxStep: nullable(count("The smallest step with this value.")),
  mean: nullable(Type.Number()),
});
export type ComparedSummary = Type.Static<typeof ComparedSummary>;

const ComparedMetric = closedObject("ComparedMetric", {
  name: Type.String(),
  experiments: count("Number of compared experiments that have it."),
  summaries: Type.Array(nullable(ComparedSummary), {
    description: "One for each experiment, in their order; null: it has none, or none yet.",
  }),
});
export type ComparedMetric = Type.Static<typeof ComparedMetric>;

const ApartKey = closedObject("ApartKey", {
  field: Type.String({ description: "In the language's spelling." }),
  test: Type.String({
    description:
      "A test in the form of a query: of all tests on this key the one whose shares differ most.",
  }),
  named: count("Experiments of `experimentIds` that it finds."),
  others: count("Others that it finds."),
  distance: Type.Number({
    description:
      "Absolute difference of the shares of named and of other experiments that it finds.",
  }),
});
export type ApartKey = Type.Static<typeof ApartKey>;

export const DifferenceReply = closedObject("DifferenceReply", {
  experiments: Type.Array(
    closedObject("ComparedExperiment", {
      experimentId: assignedId("The experiment."),
      slug: Type.String(),
      name: nullable(
        Type.String({
          description:
            "The name in lists, from the meta or the tag of MLflow's clients; null: its slug.",
        }),
      ),
    }),
    { description: "The compared experiments." },
  ),
  found: count("Experiments that the query finds; without a query, how many are compared."),
  keys: Type.Array(ComparedKey, { description: "In the order of the metas." }),
  differingKeys: count("Keys that differ; `keys` has the first of them."),
  equalKeys: count("Keys that all have with one value."),
  hiddenKeys: count(
    "Keys left out because they begin with an underscore, are `_source.command`, or `tag.mlflow.` and more.",
  ),
  uncomparedValues: count(
    `Values that were not compared: at keys longer than ${limits.differenceKeyBytesMax} bytes, and at more than ` +
      `${limits.differenceKeysComparedMax.toLocaleString("en")} keys.`,
  ),
  metrics: Type.Array(ComparedMetric, {
    description: "The most common first, then by name.",
  }),
  metricsFound: count("Metrics that any of the experiments has; `metrics` has the first of them."),
  apart: Type.Optional(
    closedObject("Apart", {
      named: count("Experiments of `experimentIds` that exist."),
      others: count("Other experiments that were counted."),
      othersFound: count(
        `Other experiments that the query finds: all of them are counted, up to ${limits.differenceOthersMax.toLocaleString("en")}.`,
      ),
      keys: Type.Array(ApartKey, { description: "Largest difference first." }),
      keysFound: count("Keys that any of them has."),
      keysCounted: count(
        "Number of counted keys: the most common ones, those of the named experiments first.",
      ),
    }),
  ),
  asOfMs: milliseconds("Summaries, and `apart`, include everything acknowledged until this time."),
  behind: count(
    "Experiments with summaries or meta not up to date, among those that are compared, or that the query finds or may find later.",
  ),
  late: count("Those of them behind for more than ten seconds."),
});
export type DifferenceReply = Type.Static<typeof DifferenceReply>;
