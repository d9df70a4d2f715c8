import type { EndpointDefinition } from "./endpoint.ts";
import { consoleStreams } from "./console-streams.ts";
import { limits } from "./limits.ts";
import { closedObject, count, milliseconds, oneOfStrings, reference } from "./schema.ts";
import * as Type from "./type.ts";
import { extension, readErrors, writeErrors } from "./v1-endpoint.ts";

/** The console of a run: what its processes print and log, line by line. */

const stream = oneOfStrings("ConsoleStream", [...consoleStreams]);
const lineText = Type.String({
  description:
    "The line without its end, without escape sequences, and of a line that was written over its last state.",
  maxLength: limits.consoleLineCharactersMax,
  pattern: "^[^\\n\\r\\x00]*$",
  "x-rule": "must be one line",
});
const spans = Type.Array(
  closedObject("ConsoleSpan", {
    start: count("First character, in UTF-16 code units."),
    end: count("Character after the last."),
    style: Type.String({
      description: "Parameters of the terminal's colour sequence (SGR), for instance `1;31`.",
      maxLength: 64,
      pattern: "^[0-9;:]*$",
    }),
  }),
  {
    description: "Colours and styles of stretches of the text.",
    maxItems: limits.consoleSpansMax,
  },
);

const SentLine = closedObject("SentConsoleLine", {
  timestampMs: milliseconds("When the line ended."),
  stream,
  text: lineText,
  spans: Type.Optional(spans),
});
export type SentLine = Type.Static<typeof SentLine>;

const OpenLine = closedObject("OpenConsoleLine", {
  stream,
  text: lineText,
});

export const AppendConsoleBody = closedObject("AppendConsoleBody", {
  source: closedObject("SentConsoleSource", {
    id: Type.String({
      description: "The process that prints; made by the client, unique within the experiment.",
      minLength: 1,
      maxLength: limits.consoleSourceCharactersMax,
      pattern: "^[\\x21-\\x7e]+$",
    }),
    rank: Type.Optional(count("Number of the process among those of a distributed training.")),
    host: Type.Optional(Type.String({ maxLength: limits.consoleHostCharactersMax })),
    processId: Type.Optional(count("Number of the process on its host.")),
  }),
  first: count("Number of the first line among those of the source, from 0."),
  lines: Type.Array(SentLine, { maxItems: limits.consoleLinesMax }),
  open: Type.Optional(
    Type.Array(OpenLine, {
      description:
        "Lines that have not ended yet, at most one a stream: they replace those sent before.",
      maxItems: consoleStreams.length,
    }),
  ),
});
export type AppendConsoleBody = Type.Static<typeof AppendConsoleBody>;

export const AppendConsoleReply = closedObject("AppendConsoleReply", {
  next: count(
    "Lines of the source that are stored: the number of the next one. Less than what was sent where lines before it are missing; then nothing was stored.",
  ),
});
export type AppendConsoleReply = Type.Static<typeof AppendConsoleReply>;

const ConsoleLine = closedObject("ConsoleLine", {
  line: count("Number of the line in the experiment's console, from 0, in the order of arrival."),
  source: count("Number of its source."),
  timestampMs: milliseconds("When the line ended."),
  stream,
  text: Type.String(),
  spans: Type.Optional(spans),
});
export type ConsoleLine = Type.Static<typeof ConsoleLine>;

const ConsoleSource = closedObject("ConsoleSource", {
  source: count("Its number within the experiment, from 0."),
  id: Type.String(),
  rank: Type.Optional(count("Number of the process among those of a distributed training.")),
  host: Type.Optional(Type.String()),
  processId: Type.Optional(count("Number of the process on its host.")),
  lines: count("Its lines."),
  open: Type.Array(OpenLine, { description: "Lines that have not ended yet." }),
});

const choice = {
  experimentId: reference("The experiment."),
  sources: Type.Optional(
    Type.Array(count("Number of a source."), {
      description: "Lines of these alone.",
      maxItems: limits.consoleSourcesMax,
    }),
  ),
  streams: Type.Optional(
    Type.Array(stream, { description: "Lines of these alone.", maxItems: consoleStreams.length }),
  ),
  limit: Type.Optional(
    Type.Integer({
      description: `Most lines of the reply; ${limits.consoleReadUsual} without it.`,
      minimum: 1,
      maximum: limits.consoleReadMax,
    }),
  ),
};

export const ReadConsoleBody = closedObject("ReadConsoleBody", {
  ...choice,
  first: Type.Optional(count("Lines with this number and above it, the first of them.")),
  before: Type.Optional(count("Lines with numbers below this, the last of them.")),
  atMs: Type.Optional(
    milliseconds("Lines from the first one that ended then or later, in the order of arrival."),
  ),
  sourcesOf: Type.Optional(
    Type.Unsafe<"console" | "page">({
      ...oneOfStrings(undefined, ["console", "page"]),
      description:
        "Which sources the reply names: all of the `console` (without it), or those of the lines of the `page` and those with lines that have not ended.",
    }),
  ),
});
export type ReadConsoleBody = Type.Static<typeof ReadConsoleBody>;

export const ReadConsoleReply = closedObject("ReadConsoleReply", {
  lines: Type.Array(ConsoleLine, { description: "In the order of arrival." }),
  first: count("Number of the first line that was looked at: `before` for what precedes it."),
  next: count("Number of the line after the last that was looked at: `first` for what follows."),
  total: count("Lines of the console."),
  sources: Type.Array(ConsoleSource),
});
export type ReadConsoleReply = Type.Static<typeof ReadConsoleReply>;

export const SearchConsoleBody = closedObject("SearchConsoleBody", {
  ...choice,
  text: Type.Optional(
    Type.String({
      description: "Lines that contain it.",
      minLength: 1,
      maxLength: limits.consolePatternMax,
    }),
  ),
  pattern: Type.Optional(
    Type.String({
      description: "Lines in which this regular expression (JavaScript's) matches.",
      minLength: 1,
      maxLength: limits.consolePatternMax,
    }),
  ),
  ignoreCase: Type.Optional(Type.Boolean()),
  first: Type.Optional(count("Searches from this line upwards; 0 without it and `before`.")),
  before: Type.Optional(count("Searches from the line before this one downwards.")),
});
export type SearchConsoleBody = Type.Static<typeof SearchConsoleBody>;

export const SearchConsoleReply = closedObject("SearchConsoleReply", {
  lines: Type.Array(ConsoleLine, { description: "Those that match, in the order of arrival." }),
  first: count("Number of the first line that was searched."),
  next: count("Number of the line after the last that was searched."),
  total: count("Lines of the console."),
  isComplete: Type.Boolean({
    description: "Whether the search reached the end of the console in its direction.",
  }),
});
export type SearchConsoleReply = Type.Static<typeof SearchConsoleReply>;

export const consoleEndpoints = {
  appendConsole: {
    ...extension,
    method: "POST",
    path: "/api/console/v1/experiments/{experimentId}/lines",
    summary: "Stores lines that a process of the run has printed, each once.",
    about:
      "A source numbers its lines from 0 and sends them in order. Lines that are stored already are acknowledged " +
      "again and not compared. The answer means that the lines are on stable storage.",
    credentials: ["experiment_token"],
    request: { kind: "json", schema: AppendConsoleBody, bytesMax: limits.consoleBodyBytesMax },
    reply: { kind: "json", status: 200, schema: AppendConsoleReply },
    errors: [...writeErrors, "conflict"],
  },
  readConsole: {
    ...extension,
    method: "POST",
    path: "/api/console/v1/read",
    summary: "Lines of a run's console: the last ones, or those around a line or a time.",
    about:
      "`POST /api/views/v1/changes` waits for more: new lines change the experiment's revision.",
    request: { kind: "json", schema: ReadConsoleBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: ReadConsoleReply },
    errors: [...readErrors, "not_found", "data_corrupted"],
  },
  searchConsole: {
    ...extension,
    method: "POST",
    path: "/api/console/v1/search",
    summary: "Lines of a run's console that contain a text or match a regular expression.",
    about:
      "One request searches for some seconds at most; `isComplete` false: it is continued from `next` (or before `first`).",
    request: { kind: "json", schema: SearchConsoleBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: SearchConsoleReply },
    errors: [...readErrors, "not_found", "data_corrupted"],
  },
} as const satisfies Record<string, EndpointDefinition>;
