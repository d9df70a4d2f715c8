import type { FilterPredicate } from "@lossless/client";
import { UsageError } from "../command.ts";
import type { Command, Invocation } from "../command.ts";
import { clientOf, connectionHelp, connectionOptions } from "../connection.ts";
import { printable } from "../output.ts";

export const points: Command = {
  usage: "series points SLUG [SERIES...] [options]",
  help: `
Prints points, one a line: series, step, Unix milliseconds, value, and metadata if there is any, separated
by tabs. With --json each line is an object. Without names it prints every series.

  --x-axis A         step or timestamp: what points are sorted by (step)
  --filter K[=V]     only partitions with this metadata key, or key and value; may stand several times${connectionHelp}`,
  options: {
    ...connectionOptions,
    "x-axis": { type: "string" },
    filter: { type: "string", multiple: true },
  },
  run: runPoints,
};

async function runPoints(invocation: Invocation): Promise<number> {
  const { values, positionals, output } = invocation;
  const [experimentSlug, ...seriesNames] = positionals;
  if (experimentSlug === undefined) throw new UsageError("name an experiment by its slug");
  const xAxis = values.choice("x-axis", ["step", "timestamp"]);
  const client = clientOf(invocation);
  const { experimentId } = await client.experiment({ experimentSlug });
  const selection = {
    experimentId,
    xAxis,
    filter: values.texts("filter").map(predicate),
    ...(seriesNames.length > 0 ? { seriesNames } : {}),
  };
  for await (const { seriesName, metadata, step, timestampMs, value } of client.series(selection)) {
    const hasMeta = Object.keys(metadata).length > 0;
    const end = hasMeta ? `\t${printable(JSON.stringify(metadata))}` : "";
    let text = "";
    for (let index = 0; index < value.length; index++) {
      const point = { step: step[index], timestampMs: timestampMs[index], value: value[index] };
      text += output.json
        ? `${JSON.stringify({ seriesName, metadata, ...point })}\n`
        : `${seriesName}\t${point.step ?? ""}\t${point.timestampMs}\t${point.value}${end}\n`;
    }
    await output.write(text);
  }
  return 0;
}

function predicate(text: string): FilterPredicate {
  const at = text.indexOf("=");
  if (at < 0) return { metadataKey: text };
  return { metadataKey: text.slice(0, at), metadataValue: text.slice(at + 1) };
}
