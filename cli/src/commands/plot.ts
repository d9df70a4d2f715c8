import type { OverviewReply } from "@lossless/client";
import { type Command, type Invocation, UsageError } from "../command.ts";
import { clientOf, connectionHelp, connectionOptions } from "../connection.ts";
import { namedExperiment } from "../named-experiment.ts";
import { countText, printable } from "../output.ts";
import { chartLines } from "../plot/chart.ts";
import { predicate, requireSeries } from "./series-points.ts";

export const plot: Command = {
  usage: "plot SLUG SERIES [options]",
  help: `
Draws one series of an experiment. Every point counts: a column of dots reaches from the least to the
largest of its values, so no spike is left out. With --json it prints what the chart is drawn from.

  --x-axis A         step or timestamp (step)
  --from N, --to N   the range: the first step or Unix millisecond, and the first one behind it
  --filter K[=V]     only partitions with this metadata key, or key and value; may stand several times
  --log              a logarithmic axis of values
  --width N          characters in a row (those of the terminal)
  --height N         rows (16)${connectionHelp}`,
  options: {
    ...connectionOptions,
    "x-axis": { type: "string" },
    from: { type: "string" },
    to: { type: "string" },
    filter: { type: "string", multiple: true },
    log: { type: "boolean" },
    width: { type: "string" },
    height: { type: "string" },
  },
  run: runPlot,
};

/** What stands at the left of a chart takes about so much. */
const marginCharacters = 14;
const axisMax = Number.MAX_SAFE_INTEGER;

async function runPlot(invocation: Invocation): Promise<number> {
  const { values, positionals, output } = invocation;
  const [experimentSlug, seriesName, ...more] = positionals;
  if (experimentSlug === undefined || seriesName === undefined || more.length > 0) {
    throw new UsageError("name one experiment by its slug, and one of its series");
  }
  const width = values.integer("width", Math.max(40, output.columns), 20, 1_000);
  const size = {
    cellsWide: Math.max(6, width - marginCharacters),
    cellsHigh: values.integer("height", 16, 1, 400),
  };
  const client = clientOf(invocation);
  const { experimentId } = await namedExperiment(client, experimentSlug, () =>
    client.experiment({ experimentSlug }),
  );
  const overview = await client.views.overview({
    series: [{ experimentId, seriesName, filter: values.texts("filter").map(predicate) }],
    xAxis: values.choice("x-axis", ["step", "timestamp"]),
    columns: 2 * size.cellsWide,
    ...range(invocation),
  });
  if (overview.series.length === 0) await requireSeries(client, experimentId, [seriesName]);
  output.answer(overview, () => {
    if (overview.points === 0) return "No points in this range.";
    const lines = chartLines(overview, size, values.flag("log"));
    return [...lines, ...caption(overview, printable(seriesName))].join("\n");
  });
  return 0;
}

function range({ values }: Invocation): { start?: number; end?: number } {
  const range: { start?: number; end?: number } = {};
  if (values.text("from") !== undefined) range.start = values.integer("from", 0, 0, axisMax);
  if (values.text("to") !== undefined) range.end = values.integer("to", 0, 0, axisMax);
  if ((range.start ?? -1) >= (range.end ?? Infinity))
    throw new UsageError("--to must be above --from");
  return range;
}

function caption({ series, points }: OverviewReply, seriesName: string): string[] {
  const partitions = series.length === 1 ? "" : ` in ${countText(series.length)} partitions`;
  const last = series.length === 1 ? lastOf(series[0]) : undefined;
  const end = last === undefined ? "" : `; last ${last}`;
  return [`${seriesName}: ${countText(points)} points${partitions}, all considered${end}`];
}

function lastOf({ exact, reduced }: OverviewReply["series"][number]): number | undefined {
  return (exact?.value ?? reduced?.last)?.at(-1);
}
