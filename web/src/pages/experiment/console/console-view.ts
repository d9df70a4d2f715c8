import { consoleStreams } from "@lossless/protocol/console-streams";
import type { ConsoleStream } from "./console-lines.ts";
import type { Query } from "./search.ts";

/** The view of a console, as an address has it. */
export interface ConsoleView {
  /** The chosen lines, from one to another; undefined: none. */
  chosen: { from: number; to: number } | undefined;
  /** A time whose line is to be shown. */
  atMs: number | undefined;
  /** Undefined: nothing is searched. */
  query: Query;
  times: Times;
  isWrapped: boolean;
  /** Whether each source has a column of its own. */
  isApart: boolean;
  /** Undefined: all. */
  sources: readonly number[] | undefined;
  streams: readonly ConsoleStream[] | undefined;
}

/** The time before a line. */
export const timeChoices = ["clock", "since", "off"] as const;
export type Times = (typeof timeChoices)[number];

type Read = (name: string) => string | undefined;

/** Reads a view; invalid values become defaults, as an address may have been typed. */
export function consoleViewOf(read: Read): ConsoleView {
  const streams = read("streams")?.split(",") ?? [];
  const chosenStreams = consoleStreams.filter((stream) => streams.includes(stream));
  const sources = (read("sources")?.split(",") ?? []).flatMap((text) => countOf(text) ?? []);
  return {
    chosen: linesOf(read("line")),
    atMs: countOf(read("at")),
    query: {
      text: read("find") ?? "",
      isPattern: read("re") === "1",
      matchesCase: read("case") === "1",
    },
    times: timeChoices.find((choice) => choice === read("times")) ?? "clock",
    isWrapped: read("wrap") !== "0",
    isApart: read("side") === "1",
    sources: sources.length === 0 ? undefined : sources,
    streams: chosenStreams.length === 0 ? undefined : chosenStreams,
  };
}

/** Parameters of the console's view, which mean nothing in other parts of the page. */
export const consoleParameters = ["line", "at", "find", "re", "case"] as const;

export function linesText({ from, to }: { from: number; to: number }): string {
  return from === to ? String(from) : `${from}-${to}`;
}

function linesOf(text: string | undefined): ConsoleView["chosen"] {
  const [from, to = from] = (text ?? "").split("-").map(countOf);
  if (from === undefined || to === undefined) return undefined;
  return { from: Math.min(from, to), to: Math.max(from, to) };
}

function countOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : undefined;
}
