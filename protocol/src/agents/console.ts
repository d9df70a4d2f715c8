import type { ConsoleLine } from "../console.ts";
import { limits } from "../limits.ts";
import { closedObject } from "../schema.ts";
import * as Type from "../type.ts";
import { experiment, experimentPage, limit, rowOf } from "./experiments.ts";
import { tool, ToolError } from "./tool.ts";

const line = (description: string) =>
  Type.Optional(Type.Integer({ description, minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));

export const consoleTools = [
  tool({
    name: "console_tail",
    title: "Read the console of a run",
    description:
      "Returns the last lines that an experiment printed and logged, or those before a line.",
    input: closedObject("ConsoleTail", {
      experiment,
      lines: limit(limits.toolLinesReadMax, 50),
      before: line("Lines with numbers below this: `first` of an earlier answer."),
    }),
    paged: { lists: ["lines"], limit: "lines", keeps: "last" },
    async run(asking, { experiment: named, lines: most = 50, before }) {
      const { experimentId } = await rowOf(asking, named);
      const body = { experimentId, limit: most, ...(before !== undefined && { before }) };
      const { lines, first, total } = await asking.ask("readConsole", { body });
      return {
        total,
        first,
        lines: lines.map(shownLine),
        ...(first > 0 && { more: `Call again with before: ${first} for earlier lines.` }),
        page: `${experimentPage(asking.baseUrl, experimentId)}?tab=console`,
      };
    },
  }),
  tool({
    name: "console_search",
    title: "Search the console of a run",
    description:
      "Returns lines of an experiment's console that contain a text or match a regular expression, from a line on.",
    input: closedObject("ConsoleSearch", {
      experiment,
      text: Type.Optional(Type.String({ minLength: 1, maxLength: limits.consolePatternMax })),
      pattern: Type.Optional(
        Type.String({
          description: "A regular expression, in place of `text`.",
          minLength: 1,
          maxLength: limits.consolePatternMax,
        }),
      ),
      ignoreCase: Type.Optional(Type.Boolean()),
      first: line("Search from this line on: `next` of an earlier answer."),
      limit: limit(limits.toolLinesReadMax, 50),
    }),
    paged: { lists: ["lines"], limit: "limit", keeps: "first" },
    async run(asking, { experiment: named, limit: most = 50, ...search }) {
      if ((search.text === undefined) === (search.pattern === undefined))
        throw new ToolError("Give `text` or `pattern`, and only one of them.");
      const { experimentId } = await rowOf(asking, named);
      const body = { experimentId, limit: most, ...search };
      const { lines, next, total, isComplete } = await asking.ask("searchConsole", { body });
      return {
        total,
        lines: lines.map(shownLine),
        ...(!isComplete && {
          next,
          more: `The search went as far as line ${next}: call again with first: ${next}.`,
        }),
        page: `${experimentPage(asking.baseUrl, experimentId)}?tab=console`,
      };
    },
  }),
];

function shownLine({ line: number, timestampMs, stream, text }: ConsoleLine) {
  const cut = limits.toolLineCharactersMax;
  const shown = text.length > cut ? `${text.slice(0, cut)}… (${text.length} characters)` : text;
  return { line: number, at: new Date(timestampMs).toISOString(), stream, text: shown };
}
