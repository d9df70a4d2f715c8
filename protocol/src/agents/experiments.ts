import type { ComparedKey, ComparedSummary } from "../difference.ts";
import { limits } from "../limits.ts";
import { quoted } from "../query-tokens.ts";
import type { TableRow } from "../table.ts";
import * as Type from "../type.ts";
import { closedObject } from "../schema.ts";
import { type Asking, tool, ToolError } from "./tool.ts";

const query = Type.Optional(
  Type.String({
    description:
      "Tests of Lossless' query language, joined by and, or, not: `status = running`, `metric.val/loss.min < 3.3`, " +
      "`meta.optimizer.lr >= 0.001`, `tag = baseline`, `slug ~ gpt*`, `created > -7d`. A metric without a statistic is its last value. Left out: all.",
    maxLength: limits.queryCharactersMax,
  }),
);
export const experiment = Type.String({
  description: "Slug or id of an experiment (a run), as find_experiments gives it.",
  minLength: 1,
  maxLength: limits.referenceCharactersMax,
});
const several = Type.Array(experiment, { minItems: 2, maxItems: limits.toolComparedMax });
const metrics = Type.Optional(
  Type.String({
    description: "Only metrics whose names fit these words, in which `*` stands for anything.",
    maxLength: limits.patternCharactersMax,
  }),
);

export const experimentTools = [
  tool({
    name: "find_experiments",
    title: "Find experiments",
    description:
      "Finds experiments by a query over status, times, config (meta.…) and metrics (metric.…), sorted, with columns of your choice. Use list_fields to learn which names exist.",
    input: closedObject("FindExperiments", {
      query,
      sort: Type.Optional(
        Type.String({
          description:
            "One field, optionally followed by desc: `metric.val/loss.min`. By default the newest come first.",
        }),
      ),
      columns: Type.Optional(
        Type.Array(Type.String(), {
          description: "Fields to show for each: `meta.lr`, `metric.val/loss.min`, `duration`.",
          maxItems: limits.toolColumnsMax,
        }),
      ),
      limit: limit(limits.toolRowsMax, 20),
      after: Type.Optional(Type.String({ description: "`next` of the previous answer." })),
    }),
    paged: { lists: ["experiments"], limit: "limit", keeps: "first" },
    async run(
      { ask, baseUrl },
      { query: asked = "", sort, columns = [], limit: most = 20, after },
    ) {
      const [, field, direction] = /^(.*?)(?:\s+(asc|desc))?$/is.exec(sort?.trim() ?? "") ?? [];
      const body = {
        query: asked,
        columns,
        limit: most,
        ...(field !== undefined &&
          field !== "" && { sort: [{ field, descending: direction?.toLowerCase() === "desc" }] }),
        ...(after !== undefined && { after }),
      };
      const { rows, total, next, unknown, late } = await ask("readTable", { body });
      return {
        total,
        experiments: rows.map((row) => shownRow(row, columns, baseUrl)),
        ...(next !== undefined && { next, more: "Call again with `after` set to `next`." }),
        ...(unknown !== undefined && { unknownFields: unknown }),
        ...(late > 0 && { note: `Metrics of ${late} experiments are some seconds behind.` }),
        page: `${baseUrl}/experiments?q=${encodeURIComponent(asked)}`,
      };
    },
  }),
  tool({
    name: "describe_experiment",
    title: "Describe an experiment",
    description:
      "Describes one experiment: status, times, whether its process lives and how it ended, config, exact summaries of its metrics (first, last, least, largest, with steps), and the artifacts it wrote.",
    input: closedObject("DescribeExperiment", { experiment, metrics }),
    async run(asking, { experiment: named, metrics: metricText }) {
      const row = await rowOf(asking, named);
      const { experimentId } = row;
      const found = await asking.ask("readDifference", {
        body: {
          experimentIds: [experimentId],
          equalKeys: true,
          keysMax: limits.toolKeysMax,
          metricsMax: limits.toolMetricsMax,
          ...(metricText !== undefined && { metricText }),
        },
      });
      const attempts = await asking.ask("readAttempts", { body: { experimentId, limit: 3 } });
      const written = await asking.ask("readExperimentArtifacts", { query: { experimentId } });
      const { metricsFound, equalKeys, differingKeys, hiddenKeys } = found;
      return {
        ...shownRow(row, [], asking.baseUrl),
        config: Object.fromEntries(found.keys.map((key) => [key.field, valueOf(key, 0)])),
        ...leftOut("config", equalKeys + differingKeys, found.keys.length),
        ...(hiddenKeys > 0 && { hiddenKeys: `${hiddenKeys} keys of source and environment.` }),
        metrics: found.metrics.map(({ name, summaries: [summary] }) => ({ name, ...summary })),
        ...leftOut("metrics", metricsFound, found.metrics.length, "narrow them with `metrics`"),
        attempts: attempts.attempts,
        artifacts: written.versions.slice(0, 10),
        ...leftOut("artifacts", written.versions.length, Math.min(10, written.versions.length)),
      };
    },
  }),
  tool({
    name: "compare_experiments",
    title: "Compare experiments: what differs",
    description:
      "Compares 2 to 20 experiments: the config keys whose values differ, and exact summaries of the metrics they have.",
    input: closedObject("CompareExperiments", { experiments: several, metrics }),
    async run(asking, { experiments, metrics: metricText }) {
      const ids = await idsOf(asking, experiments);
      const found = await asking.ask("readDifference", {
        body: {
          experimentIds: ids,
          keysMax: limits.toolKeysMax,
          metricsMax: limits.toolComparedMetricsMax,
          ...(metricText !== undefined && { metricText }),
        },
      });
      const slugs = found.experiments.map(({ slug }) => slug);
      const each = <Value>(valueAt: (at: number) => Value) =>
        Object.fromEntries(slugs.map((slug, at) => [slug, valueAt(at)]));
      return {
        experiments: slugs,
        differingConfig: found.keys.map((key) => ({
          field: key.field,
          values: each((at) => valueOf(key, at)),
        })),
        ...leftOut("differingConfig", found.differingKeys, found.keys.length),
        equalKeys: found.equalKeys,
        metrics: found.metrics.map(({ name, summaries }) => ({
          name,
          values: each((at) => shortSummary(summaries[at])),
        })),
        ...leftOut(
          "metrics",
          found.metricsFound,
          found.metrics.length,
          "narrow them with `metrics`",
        ),
        page: `${asking.baseUrl}/compare?e=${ids.join(",")}`,
      };
    },
  }),
  tool({
    name: "what_sets_apart",
    title: "What sets experiments apart from others",
    description:
      "For the named experiments, finds the config tests that separate them best from all others that a query finds: for instance what the diverged runs have in common.",
    input: closedObject("WhatSetsApart", {
      experiments: Type.Array(experiment, { minItems: 1, maxItems: limits.toolComparedMax }),
      others: query,
    }),
    async run(asking, { experiments, others = "" }) {
      const ids = await idsOf(asking, experiments);
      const { apart } = await asking.ask("readDifference", {
        body: { experimentIds: ids, query: others, apart: true, keysMax: 20, metricsMax: 0 },
      });
      return {
        named: apart?.named,
        others: apart?.others,
        tests: apart?.keys,
        note: "distance 1: all of one side and none of the other pass the test; 0: it tells nothing.",
      };
    },
  }),
  tool({
    name: "list_fields",
    title: "List names of config keys and metrics",
    description:
      "Lists config keys (meta.…) and metrics (metric.…) that experiments have, or the values of one field, with how many experiments have them.",
    input: closedObject("ListFields", {
      text: Type.Optional(
        Type.String({
          description: "Only names or values that contain these words; `*` stands for anything.",
          maxLength: limits.patternCharactersMax,
        }),
      ),
      field: Type.Optional(
        Type.String({ description: "List the values of this field: `meta.optimizer.name`." }),
      ),
    }),
    async run({ ask }, given) {
      const body = { ...given, limit: limits.toolNamesMax, near: true };
      const { fields, values, isWhole, near } = await ask("readFields", { body });
      return {
        ...(given.field === undefined ? { fields } : { values }),
        ...(!isWhole && { more: "There are others: narrow them with `text`." }),
        ...(near !== undefined && near.length > 0 && { mayMean: near }),
      };
    },
  }),
];

export function limit(most: number, usual: number) {
  return Type.Optional(
    Type.Integer({
      description: `At most ${most}; ${usual} without it.`,
      minimum: 1,
      maximum: most,
    }),
  );
}

/**
 * Returns the row of an experiment, by slug or id. Throws ToolError with slugs that may be meant.
 */
export async function rowOf({ ask }: Asking, named: string): Promise<TableRow> {
  const word = quoted(named);
  const body = { query: `slug = ${word} or id = ${word}`, limit: 2 };
  const { rows } = await ask("readTable", { body });
  const found = rows.find(({ slug }) => slug === named) ?? rows[0];
  if (found !== undefined) return found;
  const part = named.split("/").at(-1)!.slice(0, limits.patternCharactersMax);
  const near = await ask("readTable", { body: { query: `slug ~ ${quoted(part)}`, limit: 3 } });
  const slugs = near.rows.map(({ slug }) => JSON.stringify(slug));
  const meant = slugs.length === 0 ? "" : ` Did you mean ${slugs.join(" or ")}?`;
  throw new ToolError(
    `There is no experiment ${JSON.stringify(named)} that this key may see.${meant} find_experiments lists them.`,
  );
}

async function idsOf(asking: Asking, named: readonly string[]): Promise<string[]> {
  const rows: TableRow[] = [];
  for (const one of named) rows.push(await rowOf(asking, one));
  return rows.map(({ experimentId }) => experimentId);
}

export function experimentPage(baseUrl: string, experimentId: string): string {
  return `${baseUrl}/experiments/${encodeURIComponent(experimentId)}`;
}

function shownRow(row: TableRow, columns: readonly string[], baseUrl: string) {
  const { experimentId, slug, name, description, status, error, liveness, points } = row;
  const values = columns.map((column, at) => [column, row.values[at]] as const);
  return {
    slug,
    experimentId,
    ...(name !== null && { name }),
    ...(description !== "" && { description }),
    status,
    ...(error !== null && { error }),
    ...(liveness !== undefined && { process: liveness.state }),
    points,
    createdAt: new Date(row.createdAtMs).toISOString(),
    ...(row.endedAtMs !== null && { endedAt: new Date(row.endedAtMs).toISOString() }),
    ...(columns.length > 0 && { values: Object.fromEntries(values) }),
    page: experimentPage(baseUrl, experimentId),
  };
}

function valueOf({ values, valueOf: places }: ComparedKey, at: number): string | null {
  const place = places[at];
  if (place === null || place === undefined) return null;
  const { text, isCut } = values[place];
  return isCut ? `${text}… (cut)` : text;
}

function shortSummary(summary: ComparedSummary | null | undefined) {
  if (summary === null || summary === undefined) return null;
  const { last, lastStep, min, minStep, max, maxStep, points } = summary;
  return { last, lastStep, min, minStep, max, maxStep, points };
}

/** Says how many entries of a list an answer lacks. */
export function leftOut(name: string, found: number, shown: number, how = "see the page") {
  if (found <= shown) return {};
  return { [`${name}LeftOut`]: `${found - shown} of ${found} are left out: ${how}.` };
}
