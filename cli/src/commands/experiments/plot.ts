import { writeFileSync } from "node:fs";
import {
  limits,
  type OverviewBody,
  type OverviewReply,
  type SeriesCombination,
} from "@lossless/client";
import { type Invocation, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { namedExperiment } from "../../named-experiment.ts";
import { countedText, printable } from "../../output.ts";
import { type ChartSize, chartLines } from "../../plot/chart.ts";
import { svgChart, svgColumns } from "../../plot/svg.ts";
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
  --smooth-x W       smooths by distance on the axis: W is the weight of a point a thousandth of the
                     axis back, such as 0.99
  --smooth W         exponential moving average by points with the weight W, as TensorBoard
  --gauss N          Gaussian smoothing with a deviation of N points
  --over S           divided by another series at each step
  --minus S          less another series at each step
  --filter K[=V]     only partitions with this metadata key, or key and value; may be repeated
  --log              a logarithmic axis of values
  --width N          characters in a row (those of the terminal), of a file pixels (800)
  --height N         rows (16), of a file pixels (450)
  --out FILE.svg     writes a picture instead, for a page or a paper; for PNG, save the chart on its
                     page, or convert the file: rsvg-convert --zoom 3 FILE.svg -o FILE.png`,
  options: {
    x: { type: "string" },
    "log-x": { type: "boolean" },
    smooth: { type: "string" },
    "smooth-x": { type: "string" },
    gauss: { type: "string" },
    from: { type: "string" },
    to: { type: "string" },
    over: { type: "string" },
    minus: { type: "string" },
    filter: { type: "string", multiple: true },
    out: { type: "string" },
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
    const file = fileOf(invocation);
    const size = file ?? cellsOf(invocation);
    const client = clientOf(invocation);
    const { experimentId } = await namedExperiment(client, experimentSlug, () =>
      client.experiment({ experimentSlug }),
    );
    const combined = combinedOf(invocation);
    const filter = values.texts("filter").map(predicate);
    const overview = await client.views.overview({
      series: [{ experimentId, seriesName, ...(combined && { combined }), filter }],
      ...axisOf(invocation),
      ...smoothing(invocation),
      columns: "path" in size ? svgColumns(size) : 2 * size.cellsWide,
      ...range(invocation),
    });
    if (overview.series.length === 0) await requireSeries(client, experimentId, [seriesName]);
    const name = nameOf(seriesName, combined);
    if (file !== undefined) {
      const title = `${experimentSlug}: ${name}`;
      const isLog = values.flag("log");
      writeFileSync(file.path, svgChart(smoothedOf(overview), { ...file, title, isLog }));
      const { path, width, height } = file;
      return output.answer({ path, width, height, points: overview.points }, () =>
        [printable(path), caption(overview, printable(name))].join(": "),
      );
    }
    output.answer(overview, () => {
      if (overview.points === 0)
        return `${["No points in this range", ...notes(overview)].join("; ")}.`;
      const lines = chartLines(smoothedOf(overview), cellsOf(invocation), values.flag("log"));
      return [...lines, caption(overview, printable(name))].join("\n");
    });
  },
});

function cellsOf({ values, output }: Invocation): ChartSize {
  const width = values.integer("width", Math.max(40, output.columns), 20, 1_000);
  return {
    cellsWide: Math.max(6, width - marginCharacters),
    cellsHigh: values.integer("height", 16, 1, 400),
  };
}

/** The picture to write, if one is asked for. */
function fileOf({ values }: Invocation) {
  const path = values.text("out");
  if (path === undefined) return undefined;
  if (!/\.svg$/i.test(path))
    throw new UsageError(
      "--out writes SVG: end its name in .svg. For PNG save the chart on its page (picture as PNG " +
        "or SVG), or convert the file: rsvg-convert --zoom 3 loss.svg -o loss.png",
    );
  return {
    path,
    width: values.integer("width", 800, 200, svgPixelsMax),
    height: values.integer("height", 450, 120, svgPixelsMax),
  };
}

/** Pixels of a side: a picture has two columns a pixel, and an overview 8,192. */
const svgPixelsMax = 4_000;

function combinedOf({ values }: Invocation): SeriesCombination | undefined {
  const [over, minus] = [values.text("over"), values.text("minus")];
  if (over !== undefined && minus !== undefined)
    throw new UsageError("--over and --minus exclude each other");
  if (over !== undefined) return { operator: "dividedBy", seriesName: over };
  return minus === undefined ? undefined : { operator: "minus", seriesName: minus };
}

function nameOf(seriesName: string, combined: SeriesCombination | undefined): string {
  if (combined === undefined) return seriesName;
  return `${seriesName} ${combined.operator === "minus" ? "−" : "÷"} ${combined.seriesName}`;
}

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
  const kinds = ["smooth", "smooth-x", "gauss"] as const;
  const [weight, byX, points] = kinds.map((name) => values.text(name));
  if ([weight, byX, points].filter((each) => each !== undefined).length > 1) {
    throw new UsageError("--smooth, --smooth-x and --gauss exclude each other");
  }
  if (weight !== undefined) {
    return { smooth: { kind: "ema", weight: numberOf("smooth", weight, 0, limits.emaWeightMax) } };
  }
  if (byX !== undefined) {
    return { smooth: { kind: "x", weight: numberOf("smooth-x", byX, 0, limits.emaWeightMax) } };
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
  const lost = (name: "unpaired" | "nonfinite") =>
    series.reduce((sum, line) => sum + (line.combined?.[name] ?? 0), 0);
  const [unpaired, nonfinite] = [lost("unpaired"), lost("nonfinite")];
  return [
    ...(unpaired === 0 ? [] : [`no value at ${countedText(unpaired, "step")} that only one has`]),
    ...(nonfinite === 0
      ? []
      : [`none at ${countedText(nonfinite, "step")} where the result is not finite`]),
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
