import type { ConsoleLine, LosslessClient, ReadConsoleBody } from "@lossless/client";
import { type Command, type Invocation, onlyPositional, UsageError } from "../../command.ts";
import { clientOf, connectionHelp, connectionOptions } from "../../connection.ts";
import { namedExperiment } from "../../named-experiment.ts";
import { type Output, printable } from "../../output.ts";

const streams = ["stdout", "stderr", "debug", "info", "warning", "error", "critical"] as const;

export const logs: Command = {
  usage: "logs SLUG [options]",
  help: `
Prints what a run has printed and logged: the last lines, or those that match. With --json each line is an object.

  --lines N          how many of the last lines (100); all of them with --all
  --all              every line, from the first one
  --follow           goes on with the lines that come, until it is interrupted
  --grep TEXT        only lines that contain this text
  --pattern REGEX    only lines in which this regular expression (JavaScript's) matches
  --ignore-case      with --grep or --pattern
  --rank N           only lines of the process of this rank
  --stream S         only lines of stdout, stderr, debug, info, warning, error or critical; may stand several times
  --times            the time of each line before it${connectionHelp}`,
  options: {
    ...connectionOptions,
    lines: { type: "string" },
    all: { type: "boolean" },
    follow: { type: "boolean" },
    grep: { type: "string" },
    pattern: { type: "string" },
    "ignore-case": { type: "boolean" },
    rank: { type: "string" },
    stream: { type: "string", multiple: true },
    times: { type: "boolean" },
  },
  run: runLogs,
};

async function runLogs(invocation: Invocation): Promise<number> {
  const { values, output } = invocation;
  const experimentSlug = onlyPositional(invocation, "experiment by its slug");
  const search = searchOf(invocation);
  const client = clientOf(invocation);
  const { experimentId } = await namedExperiment(client, experimentSlug, () =>
    client.experiment({ experimentSlug }),
  );
  const choice = await choiceOf(invocation, client, experimentId);
  const print = (lines: readonly ConsoleLine[]) =>
    output.write(lines.map((line) => lineText(line, output, values.flag("times"))).join(""));
  if (search !== undefined) {
    for await (const lines of client.console.matches({ ...choice, ...search })) await print(lines);
    return 0;
  }
  let from = 0;
  if (!values.flag("all")) {
    const limit = values.integer("lines", 100, 1, 10_000);
    const page = await client.console.last({ ...choice, limit });
    await print(page.lines);
    from = page.next;
    if (!values.flag("follow")) return 0;
  }
  const lines = values.flag("follow")
    ? client.console.follow({ ...choice, first: from }, new AbortController().signal)
    : client.console.lines({ ...choice, first: from });
  for await (const page of lines) await print(page);
  return 0;
}

function searchOf({ values }: Invocation) {
  const text = values.text("grep");
  const pattern = values.text("pattern");
  if (text !== undefined && pattern !== undefined)
    throw new UsageError("give --grep or --pattern, not both");
  if (text === undefined && pattern === undefined) {
    if (values.flag("ignore-case"))
      throw new UsageError("--ignore-case goes with --grep or --pattern");
    return undefined;
  }
  if (values.flag("follow"))
    throw new UsageError("--follow does not search: pipe its lines to grep");
  const ignoreCase = values.flag("ignore-case");
  return { ...(text === undefined ? { pattern: pattern! } : { text }), ignoreCase };
}

/** The lines that the options choose. */
async function choiceOf(
  { values }: Invocation,
  client: LosslessClient,
  experimentId: string,
): Promise<ReadConsoleBody> {
  const named = values.texts("stream");
  const unknown = named.find((name) => !streams.some((stream) => stream === name));
  if (unknown !== undefined)
    throw new UsageError(`--stream must be one of ${streams.join(", ")}, not ${unknown}`);
  const choice: ReadConsoleBody = { experimentId };
  if (named.length > 0) choice.streams = named as ConsoleLine["stream"][];
  if (values.text("rank") === undefined) return choice;
  const rank = values.integer("rank", 0, 0, Number.MAX_SAFE_INTEGER);
  const { sources } = await client.console.read({ experimentId, limit: 1 });
  const ofRank = sources.filter((source) => (source.rank ?? 0) === rank);
  return { ...choice, sources: ofRank.map(({ source }) => source) };
}

function lineText(line: ConsoleLine, output: Output, withTime: boolean): string {
  if (output.json) return `${JSON.stringify(line)}\n`;
  const time = withTime ? `${new Date(line.timestampMs).toISOString()}  ` : "";
  return `${time}${printable(line.text)}\n`;
}
