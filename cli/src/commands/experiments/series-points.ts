import type { FilterPredicate, LosslessClient } from "@lossless/client";
import { CommandError, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { didYouMean } from "@lossless/protocol/near-names";
import { namedExperiment } from "../../named-experiment.ts";
import { printable } from "../../output.ts";

export const points = serviceCommand({
  usage: "series points SLUG [SERIES...] [options]",
  help: `
Prints points, one a line: series, step, Unix milliseconds, value, and metadata if there is any, separated
by tabs. With --json each line is an object. Without names it prints every series.

  --x-axis A         the order of points: step or timestamp (step)
  --filter K[=V]     only partitions with this metadata key, or key and value; may be repeated`,
  options: {
    "x-axis": { type: "string" },
    filter: { type: "string", multiple: true },
  },
  async run(invocation) {
    const { values, positionals, output } = invocation;
    const [experimentSlug, ...seriesNames] = positionals;
    if (experimentSlug === undefined) throw new UsageError("name an experiment by its slug");
    const xAxis = values.choice("x-axis", ["step", "timestamp"]);
    const client = clientOf(invocation);
    const { experimentId } = await namedExperiment(client, experimentSlug, () =>
      client.experiment({ experimentSlug }),
    );
    if (seriesNames.length > 0) await requireSeries(client, experimentId, seriesNames);
    const selection = {
      experimentId,
      xAxis,
      filter: values.texts("filter").map(predicate),
      ...(seriesNames.length > 0 ? { seriesNames } : {}),
    };
    for await (const { seriesName, metadata, step, timestampMs, value } of client.series(
      selection,
    )) {
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
  },
});

const shownNamesMax = 20;

/**
 * Throws for an unknown name: the service returns no points, which a script would take for an empty
 * series.
 */
export async function requireSeries(
  client: LosslessClient,
  experimentId: string,
  asked: readonly string[],
): Promise<void> {
  const { series } = await client.catalog({ experimentId });
  const names = series.map(({ seriesName }) => seriesName);
  const missing = asked.filter((name) => !names.includes(name));
  if (missing.length === 0) return;
  const more = names.length > shownNamesMax ? ` and ${names.length - shownNamesMax} more` : "";
  const near = missing.length === 1 ? didYouMean(missing[0], names) : "";
  const there = names.length === 0 ? "none" : names.slice(0, shownNamesMax).join(", ") + more;
  throw new CommandError(
    printable(`there is no series ${missing.join(", ")}${near}; it has ${there}`),
  );
}

export function predicate(text: string): FilterPredicate {
  const at = text.indexOf("=");
  if (at < 0) return { metadataKey: text };
  return { metadataKey: text.slice(0, at), metadataValue: text.slice(at + 1) };
}
