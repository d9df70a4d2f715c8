import { limits, type OverviewBody, type OverviewReply } from "@lossless/client";
import { type Invocation, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { namedExperiment } from "../../named-experiment.ts";
import { countedText, printable } from "../../output.ts";
import { chartLines } from "../../plot/chart.ts";
import { predicate, requireSeries } from "./series-points.ts";

export const plot = serviceCommand({
  usage: "plot SLUG SERIES [options]",
  help: `
Draws one series of an experiment. Every point counts: a column of dots reaches from the least to the
largest of its values, so no spike is left out. With --json it prints the chart's data.

  --x A              step, offset (from its first step), time, elapsed (ms from the experiment's first
                     point), or the name of another series, joined by step (step)
  --log-x            a logarithmic axis
  --from N, --to N   the range on the axis, --to exclusive
  --smooth W         exponential moving average with the weight W, such as 0.99
  --gauss N          Gaussian smoothing with a deviation of N points
  --filter K[=V]     only partitions with this metadata key, or key and value; may be repeated
  --log              a logarithmic axis of values
  --width N          characters in a row (those of the terminal)
  --height N         rows (16)`,
  options: {
    x: { type: "string" },
    "log-x": { type: "boolean" },
    smooth: { type: "string" },
    gauss: { type: "string" },
    from: { type: "string" },
    to: { type: "string" },
    filter: { type: "string", multiple: true },
    log: { type: "boolean" },
    width: { type: "string" },
    height: { type: "string" },
  },
  async run(invocation) {
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
      ...axisOf(invocation),
      ...smoothing(invocation),
      columns: 2 * size.cellsWide,
      ...range(invocation),
    });
    if (overview.series.length === 0) await requireSeries(client, experimentId, [seriesName]);
    output.answer(overview, () => {
      if (overview.points === 0)
        return `${["No points in this range", ...notes(overview)].join("; ")}.`;
      const lines = chartLines(smoothedOf(overview), size, values.flag("log"));
      return [...lines, caption(overview, printable(seriesName))].join("\n");
    });
  },
});

/** Characters left of a chart, approximately. */
const marginCharacters = 14;
const axisMax = Number.MAX_VALUE;

const axes: Record<string, OverviewBody["xAxis"]> = {
  step: "step",
  offset: "offset",
  time: "timestamp",
  elapsed: "elapsed",
};

function axisOf({ values }: Invocation): Pick<OverviewBody, "xAxis" | "xSeriesName" | "xScale"> {
  const named = values.text("x") ?? "step";
  const xScale = values.flag("log-x") ? "log" : "linear";
  if (Object.hasOwn(axes, named)) return { xAxis: axes[named], xScale };
  return { xAxis: "metric", xSeriesName: named, xScale };
}

function smoothing({ values }: Invocation): Pick<OverviewBody, "smooth"> {
  const [weight, points] = [values.text("smooth"), values.text("gauss")];
  if (weight !== undefined && points !== undefined) {
    throw new UsageError("--smooth and --gauss exclude each other");
  }
  if (weight !== undefined) {
    return { smooth: { kind: "ema", weight: numberOf("smooth", weight, 0, limits.emaWeightMax) } };
  }
  if (points === undefined) return {};
  return {
    smooth: { kind: "gauss", points: numberOf("gauss", points, 0.1, limits.gaussPointsMax) },
  };
}

function numberOf(option: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (text.trim() !== "" && number >= least && number <= most) return number;
  throw new UsageError(`--${option} must be a number from ${least} to ${most}`);
}

/** Moves the smoothed values, if requested, to where lines are drawn from. */
function smoothedOf(overview: OverviewReply): OverviewReply {
  const series = overview.series.map(({ exact, reduced, before, after, smoothed, ...line }) => ({
    ...line,
    ...(smoothed ?? {
      ...(exact && { exact }),
      ...(reduced && { reduced }),
      ...(before && { before }),
      ...(after && { after }),
    }),
  }));
  return { ...overview, series };
}

function range({ values }: Invocation): { start?: number; end?: number } {
  const range: { start?: number; end?: number } = {};
  const [from, to] = [values.text("from"), values.text("to")];
  if (from !== undefined) range.start = numberOf("from", from, -axisMax, axisMax);
  if (to !== undefined) range.end = numberOf("to", to, -axisMax, axisMax);
  if ((range.start ?? -Infinity) >= (range.end ?? Infinity))
    throw new UsageError("--to must be above --from");
  return range;
}

function caption(overview: OverviewReply, seriesName: string): string {
  const { series, points } = overview;
  const partitions = series.length === 1 ? "" : ` in ${countedText(series.length, "partition")}`;
  const last = series.length === 1 ? lastOf(series[0]) : undefined;
  const counted = `${seriesName}: ${countedText(points, "point")}${partitions}, not sampled`;
  return [counted, ...(last === undefined ? [] : [last]), ...notes(overview)].join("; ");
}

/** Sentences about points that are not drawn, and why. */
function notes({ series }: OverviewReply): string[] {
  const unplaced = series.reduce((sum, line) => sum + (line.unplaced ?? 0), 0);
  const damaged = series.filter(({ error }) => error !== undefined).length;
  return [
    ...(unplaced === 0 ? [] : [`${countedText(unplaced, "more point")} not on this axis`]),
    ...(damaged === 0 ? [] : [`${countedText(damaged, "damaged partition")}`]),
  ];
}

/** The last value in the range; behind it there may be some that are not finite. */
function lastOf(line: OverviewReply["series"][number]): string | undefined {
  const { exact, reduced, lastNonfinite, mayEndNonfinite } = line;
  const last = lastNonfinite?.value ?? (exact?.value ?? reduced?.last)?.at(-1);
  if (last === undefined) return undefined;
  return mayEndNonfinite ? `last finite value ${last}` : `last ${last}`;
}
