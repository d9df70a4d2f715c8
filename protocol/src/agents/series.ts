import { limits } from "../limits.ts";
import { closedObject } from "../schema.ts";
import * as Type from "../type.ts";
import { experiment, experimentPage, leftOut, rowOf } from "./experiments.ts";
import { tool, ToolError } from "./tool.ts";

export const seriesTools = [
  tool({
    name: "read_series",
    title: "Read metrics over steps or time",
    description:
      "Reads metrics of one experiment as a bounded number of columns: of each column the exact first, last, least, largest and mean of all its points (or the points themselves where they are few), and the exact least and largest of the range. Nothing is sampled.",
    input: closedObject("ReadSeries", {
      experiment,
      metrics: Type.Array(Type.String({ maxLength: limits.referenceCharactersMax }), {
        description: "Names of metrics, as describe_experiment lists them.",
        minItems: 1,
        maxItems: limits.toolSeriesMax,
      }),
      columns: Type.Optional(
        Type.Integer({
          description: `Columns of the range, at most ${limits.toolSeriesColumnsMax}; 20 without it.`,
          minimum: 1,
          maximum: limits.toolSeriesColumnsMax,
        }),
      ),
      axis: Type.Optional(
        Type.Unsafe<"step" | "elapsed">({
          type: "string",
          enum: ["step", "elapsed"],
          description: "step (the default), or milliseconds since the beginning.",
        }),
      ),
      start: Type.Optional(Type.Number({ description: "Beginning of the range on the axis." })),
      end: Type.Optional(Type.Number({ description: "End of the range, exclusive." })),
    }),
    async run(asking, { experiment: named, metrics, columns = 20, axis = "step", ...range }) {
      const { experimentId, slug } = await rowOf(asking, named);
      const reply = await asking.ask("readOverview", {
        body: {
          series: metrics.map((seriesName) => ({ experimentId, seriesName })),
          partitionsMax: limits.toolLinesMax,
          xAxis: axis,
          columns,
          ...range,
        },
      });
      const missing = metrics.filter(
        (name) => !reply.series.some(({ seriesName }) => seriesName === name),
      );
      if (missing.length === metrics.length)
        throw new ToolError(
          `${slug} has none of these metrics: ${missing.join(", ")}. describe_experiment lists its metrics.`,
        );
      const width = (reply.end - reply.start) / reply.columns;
      return {
        experiment: slug,
        axis: { kind: axis, start: reply.start, end: reply.end, columns: reply.columns, width },
        lines: reply.series,
        ...leftOut("lines", reply.partitions, reply.series.length, "ask for fewer metrics"),
        ...(missing.length > 0 && { missing }),
        note: "Column n begins at start + n * width.",
        page: experimentPage(asking.baseUrl, experimentId),
      };
    },
  }),
  tool({
    name: "wait_until",
    title: "Wait until a condition holds",
    description:
      "Waits until a condition holds for a running experiment, or it ends without it. A call lasts 25 seconds at most; with the outcome `waiting` call it again.",
    input: closedObject("WaitUntil", {
      experiment,
      until: Type.String({
        description:
          "`done`, `silent`, or a test of a metric's last value or of a field: `val/loss < 3.3`, `val/loss.min < 3.3 and points > 10000`.",
        minLength: 1,
        maxLength: limits.queryCharactersMax,
      }),
      seconds: Type.Optional(
        Type.Integer({ description: "20 without it.", minimum: 0, maximum: 25 }),
      ),
    }),
    async run(asking, { experiment: named, until, seconds = 20 }) {
      const { experimentId } = await rowOf(asking, named);
      const body = { experimentId, until, waitMs: seconds * 1_000 };
      const { outcome, ...state } = await asking.ask("waitUntil", { body });
      return {
        outcome,
        ...state,
        ...(outcome === "waiting" && { next: "Not yet: call wait_until again to wait on." }),
        page: experimentPage(asking.baseUrl, experimentId),
      };
    },
  }),
];
