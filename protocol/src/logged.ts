import type { EndpointDefinition } from "./endpoint.ts";
import { limits } from "./limits.ts";
import { loggedKinds } from "./logged-kinds.ts";
import {
  assignedId,
  closedObject,
  count,
  milliseconds,
  nameSearch,
  nullable,
  oneOfStrings,
  reference,
  stringMap,
} from "./schema.ts";
import * as Type from "./type.ts";
import { extension, readErrors } from "./v1-endpoint.ts";

/**
 * What runs log beside numbers, as series by name and step: media, texts and histograms. They are
 * stored as annotations, or as files of MLflow's clients.
 */

export const loggedKind = oneOfStrings("LoggedKind", [...loggedKinds]);
const kind = loggedKind;
const name = Type.String({
  description: "The name under which it was logged.",
  maxLength: limits.loggedNameCharactersMax,
});
const experimentIds = Type.Array(reference("An experiment; an unknown one is left out."), {
  description: "The experiments, in the order of the reply.",
  maxItems: limits.loggedExperimentsMax,
});
const step = (description: string) =>
  Type.Integer({ description, minimum: 0, maximum: limits.stepMax });
/** One more than a step: the end of a range, which is exclusive. */
const end = Type.Optional(
  Type.Integer({ description: "Only steps below this.", minimum: 0, maximum: limits.stepMax + 1 }),
);
const start = Type.Optional(step("Only steps from this one on."));
const isBehind = Type.Boolean({
  description:
    "True: after an upgrade, what was logged before it is still looked through, and some of it may be missing.",
});

const LoggedSeries = closedObject("LoggedSeries", { kind, name });
export type LoggedSeries = Type.Static<typeof LoggedSeries>;
const series = Type.Array(LoggedSeries, {
  description: "The series, by kind and name.",
  maxItems: limits.loggedSeriesMax,
});

// ---- names

export const LoggedNamesBody = closedObject("LoggedNamesBody", {
  experimentIds,
  kinds: Type.Optional(
    Type.Array(kind, {
      description: "Only series of these kinds. Default: all.",
      maxItems: loggedKinds.length,
    }),
  ),
  text: Type.Optional(
    Type.String({
      description: `Only names that fit this ${nameSearch}.`,
      maxLength: limits.patternCharactersMax,
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      description: `Most series of the reply. Default: ${limits.loggedNamesMax}.`,
      minimum: 1,
      maximum: limits.loggedNamesMax,
    }),
  ),
});
export type LoggedNamesBody = Type.Static<typeof LoggedNamesBody>;

export const LoggedNamesReply = closedObject("LoggedNamesReply", {
  series: Type.Array(
    closedObject("FoundLoggedSeries", {
      kind,
      name: Type.String(),
      items: count("What was logged in it, in all of the experiments together."),
      experiments: count("How many of the experiments have it."),
      firstStep: step("The first step at which something was logged."),
      lastStep: step("The last one."),
    }),
    { description: "By name, then by kind." },
  ),
  found: count("Series that the request finds; more than those of the reply were cut."),
  isBehind,
});
export type LoggedNamesReply = Type.Static<typeof LoggedNamesReply>;

// ---- steps

export const LoggedStepsBody = closedObject("LoggedStepsBody", {
  experimentIds,
  series,
  start,
  end,
  stepsMax: Type.Optional(
    Type.Integer({
      description: `Most steps of the reply. Default: ${limits.loggedStepsMax}.`,
      minimum: 2,
      maximum: limits.loggedStepsMax,
    }),
  ),
});
export type LoggedStepsBody = Type.Static<typeof LoggedStepsBody>;

export const LoggedStepsReply = closedObject("LoggedStepsReply", {
  steps: Type.Array(Type.Integer(), {
    description:
      "Steps at which any of the series has something in any of the experiments, in order, each once. If there are " +
      "more than `stepsMax`, every n-th of them, with the first and the last.",
  }),
  found: count("How many there are."),
  isMinimum: Type.Boolean({
    description:
      "Whether there may be more: of very many items only the first of each series are counted. The last step is in `steps` anyway.",
  }),
  isBehind,
});
export type LoggedStepsReply = Type.Static<typeof LoggedStepsReply>;

// ---- items

const LoggedFile = closedObject("LoggedFile", {
  path: Type.String({ description: "Its name in the version, or in the run." }),
  bytes: nullable(count("Its size.")),
  mediaType: nullable(
    Type.String({
      description:
        "As the end of its name says, such as `image/png`; null: unknown. It is what a client logged, not what was checked.",
    }),
  ),
  artifact: Type.Optional(
    Type.String({ description: "The artifact that has it: `file-address` and `file`." }),
  ),
  version: Type.Optional(Type.String({ description: "The version of the artifact." })),
  owner: Type.Optional(
    Type.String({
      description:
        "Instead of artifact and version: the run to which MLflow's client wrote it: `run-file-address` and `run-file`.",
    }),
  ),
});
export type LoggedFile = Type.Static<typeof LoggedFile>;

const LoggedBins = closedObject("LoggedBins", {
  bins: Type.Array(Type.Number(), { description: "The edges of the bins, one more than these." }),
  values: Type.Array(Type.Number(), { description: "What lies in each bin." }),
  of: Type.Optional(
    count("How many bins the file has, if neighbouring ones were summed for the annotation."),
  ),
});

const item = {
  step: step("The step at which it was logged."),
  timestampMs: milliseconds("When it was logged, as the client says; otherwise when it came."),
  metadata: stringMap("Of the point beside which it was logged: for instance its rank."),
  index: Type.Optional(count("Its place among those that one call logged, from 0.")),
  count: Type.Optional(count("How many that call logged.")),
  caption: Type.Optional(Type.String()),
  text: Type.Optional(
    Type.String({ description: `Of a text: itself, at most ${limits.annotationCharactersMax}.` }),
  ),
  file: Type.Optional(LoggedFile),
  width: Type.Optional(count("Of an image or video, in pixels, if known.")),
  height: Type.Optional(count("Its height.")),
  rows: Type.Optional(count("Of a table, if known.")),
  columns: Type.Optional(count("Its columns.")),
  histogram: Type.Optional(LoggedBins),
  plot: Type.Optional(Type.String({ description: "The kind of a plot, such as `line`." })),
};

const LoggedItem = closedObject("LoggedItem", {
  experimentId: assignedId("The experiment."),
  ...item,
});
export type LoggedItem = Type.Static<typeof LoggedItem>;

export const LoggedNearestBody = closedObject("LoggedNearestBody", {
  experimentIds,
  series,
  step: step("For each series of each experiment: the items at the step nearest to this one."),
});
export type LoggedNearestBody = Type.Static<typeof LoggedNearestBody>;

export const LoggedNearestReply = closedObject("LoggedNearestReply", {
  items: Type.Array(
    closedObject("NearestLoggedItem", {
      series: count("Place of its series in the request, from 0."),
      experimentId: assignedId("The experiment."),
      ...item,
    }),
    {
      description:
        "In the order of the series, then of the experiments, then of arrival. Of two equally near steps it is " +
        `the lower one. At most ${limits.loggedTogetherMax} of one series and experiment.`,
    },
  ),
  truncated: Type.Boolean({ description: "Whether some were left out." }),
  isBehind,
});
export type LoggedNearestReply = Type.Static<typeof LoggedNearestReply>;

export const LoggedItemsBody = closedObject("LoggedItemsBody", {
  experimentIds,
  kind,
  name,
  start,
  end,
  newestFirst: Type.Optional(
    Type.Boolean({ description: "From the last step to the first. Default: false." }),
  ),
  limit: Type.Optional(
    Type.Integer({
      description: `Most items of the reply. Default: ${limits.loggedItemsUsual}.`,
      minimum: 1,
      maximum: limits.loggedItemsMax,
    }),
  ),
  after: Type.Optional(
    Type.String({
      description: "`next` of the page before; the rest of the request is the same.",
      maxLength: limits.loggedCursorCharactersMax,
    }),
  ),
});
export type LoggedItemsBody = Type.Static<typeof LoggedItemsBody>;

export const LoggedItemsReply = closedObject("LoggedItemsReply", {
  items: Type.Array(LoggedItem, {
    description: "By experiment in the order of the request, then by step, then by arrival.",
  }),
  next: nullable(Type.String({ description: "Pass it as `after`; null: these are the last." })),
  isBehind,
});
export type LoggedItemsReply = Type.Static<typeof LoggedItemsReply>;

// ---- texts over steps

export const LoggedTextsBody = closedObject("LoggedTextsBody", {
  experimentIds,
  name,
  start,
  end,
  statesMax: Type.Optional(
    Type.Integer({
      description: `Most states of the reply. Default: ${limits.loggedStatesMax}.`,
      minimum: 1,
      maximum: limits.loggedStatesMax,
    }),
  ),
});
export type LoggedTextsBody = Type.Static<typeof LoggedTextsBody>;

export const LoggedTextsReply = closedObject("LoggedTextsReply", {
  lanes: Type.Array(
    closedObject("LoggedTextLane", {
      experimentId: assignedId("The experiment."),
      metadata: stringMap("Of the points beside which it was logged: a lane for each."),
      states: Type.Array(
        closedObject("LoggedTextState", {
          text: Type.String({
            description: `Its first ${limits.tableTextCharactersMax} characters.`,
          }),
          isCut: Type.Boolean({ description: "Whether the text is longer." }),
          step: step("From this step on."),
          timestampMs: milliseconds("When it was logged first."),
          endStep: nullable(
            step("The step of the next other text; null: nothing else came in the range."),
          ),
          items: count("How often in a row this text was logged."),
        }),
        {
          description:
            "In the order of steps. The first one may have begun before `start`: it is the text that holds there.",
        },
      ),
    }),
  ),
  end: nullable(
    step("The lanes are complete up to here; go on with it as `start`. Null: they are complete."),
  ),
  isBehind,
});
export type LoggedTextsReply = Type.Static<typeof LoggedTextsReply>;

// ---- histograms over steps

export const LoggedHistogramsBody = closedObject("LoggedHistogramsBody", {
  experimentIds,
  name,
  start,
  end,
  columns: Type.Optional(
    Type.Integer({
      description: "Most columns of a map; fewer where many maps would be too large. Default: 256.",
      minimum: 1,
      maximum: limits.loggedHistogramColumnsMax,
    }),
  ),
  bins: Type.Optional(
    Type.Integer({
      description: "Bins of equal width into which the values' range is divided. Default: 64.",
      minimum: 1,
      maximum: limits.loggedHistogramBinsMax,
    }),
  ),
  low: Type.Optional(
    Type.Number({ description: "The lower edge of the first bin. Default: of all histograms." }),
  ),
  high: Type.Optional(
    Type.Number({ description: "The upper edge of the last bin. Default: of all histograms." }),
  ),
});
export type LoggedHistogramsBody = Type.Static<typeof LoggedHistogramsBody>;

export const LoggedHistogramsReply = closedObject("LoggedHistogramsReply", {
  low: Type.Number({ description: "The lower edge of the first bin of every column." }),
  high: Type.Number({ description: "The upper edge of the last bin." }),
  bins: count("Bins of every column, of equal width."),
  maps: Type.Array(
    closedObject("LoggedHistogramMap", {
      experimentId: assignedId("The experiment."),
      metadata: stringMap("Of the points beside which they were logged: a map for each."),
      columns: Type.Array(
        closedObject("LoggedHistogramColumn", {
          step: step("The first step in it."),
          lastStep: step("The last one: another than the first if steps were merged."),
          items: count("Histograms summed in it."),
          counts: Type.Array(Type.Number(), {
            description:
              "What lies in each bin: the counts of the logged bins, divided by area where edges differ.",
          }),
          total: Type.Number({ description: "The sum of all logged counts in it." }),
          below: Type.Number({ description: "What lies below the first bin." }),
          above: Type.Number({ description: "What lies above the last bin." }),
          nonfinite: count("Values that are NaN or infinite."),
        }),
        { description: "In the order of steps." },
      ),
      items: count("Histograms in the range."),
      files: count(
        "Of these, those whose numbers are only in their files, as older clients logged them: they are in no column.",
      ),
    }),
  ),
  isBehind,
});
export type LoggedHistogramsReply = Type.Static<typeof LoggedHistogramsReply>;

const read = {
  ...extension,
  method: "POST",
  errors: readErrors,
} as const;

/** Media, texts and histograms over steps. All are reads, so each is safe to repeat. */
export const loggedEndpoints = {
  readLoggedNames: {
    ...read,
    path: "/api/views/v1/logged-names",
    summary: "Names under which experiments logged media, texts and histograms.",
    request: { kind: "json", schema: LoggedNamesBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: LoggedNamesReply },
  },
  readLoggedSteps: {
    ...read,
    path: "/api/views/v1/logged-steps",
    summary: "The steps at which something of these series was logged, for a slider.",
    request: { kind: "json", schema: LoggedStepsBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: LoggedStepsReply },
  },
  readLoggedNearest: {
    ...read,
    path: "/api/views/v1/logged-nearest",
    summary: "What each experiment logged at the step nearest to one, of several series.",
    about: `Series times experiments: at most ${limits.loggedNearestMax}.`,
    request: { kind: "json", schema: LoggedNearestBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: LoggedNearestReply },
  },
  readLoggedItems: {
    ...read,
    path: "/api/views/v1/logged-items",
    summary: "What was logged under a name in a range of steps, page by page.",
    request: { kind: "json", schema: LoggedItemsBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: LoggedItemsReply },
  },
  readLoggedTexts: {
    ...read,
    path: "/api/views/v1/logged-texts",
    summary: "A text over steps: which one holds from which step to which.",
    request: { kind: "json", schema: LoggedTextsBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: LoggedTextsReply },
  },
  readLoggedHistograms: {
    ...read,
    path: "/api/views/v1/logged-histograms",
    summary: "Histograms over steps on one grid of values, for a heat map.",
    about:
      "Neighbouring steps are merged into a column where there are more than `columns`; counts are summed, none is left out. " +
      `At most ${limits.loggedHistogramsReadMax} histograms in the range.`,
    request: { kind: "json", schema: LoggedHistogramsBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: LoggedHistogramsReply },
  },
} as const satisfies Record<string, EndpointDefinition>;
