import { join } from "node:path";
import { type ExperimentRecord, limits, type LosslessClient } from "@lossless/client";
import { type Invocation, noPositionals, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { explained } from "../../explained.ts";
import { csvText } from "../../export/csv-text.ts";
import { ndjsonText } from "../../export/ndjson-text.ts";
import {
  type ParquetSelection,
  untilWhole,
  writeParquetFiles,
} from "../../export/parquet-files.ts";
import { fileNameOf, PartialFiles, writeAtomically } from "../../export/write-atomically.ts";
import { Interruption } from "../../interruption.ts";
import { namedExperiment } from "../../named-experiment.ts";
import { countedText, printable } from "../../output.ts";
import { inParallel } from "@lossless/client/in-parallel";
import { Progress } from "../../progress.ts";
import { experimentsBelow, folderAt, folderPath } from "../../tree-selection.ts";

export const exportExperiments = serviceCommand({
  usage: "export (--query Q | --slug SLUG | --folder PATH | --all) [options]",
  help: `
Writes each experiment to a file named after its slug: CSV with the columns step,elapsed_ms,metric,value (and meta if
points have one), or NDJSON with one point a line. Parquet writes all of them into five files: points.parquet,
experiments.parquet, annotations.parquet, lineage.parquet and lines.parquet (of consoles). A file is complete or absent.

  --query Q          the experiments that it finds: metric.val/loss.min < 3.28; docs/query.md has the language
  --slug SLUG        an experiment; may be repeated
  --folder PATH      every experiment at and below a folder, names joined by slashes
  --all              every experiment
  --format F         csv, ndjson or parquet (csv)
  --series NAME      with parquet: only points of this series; may be repeated
  --gzip             write .csv.gz or .ndjson.gz
  --out DIR          where to write (.)
  --stdout           write one experiment to standard output
  --force            replace existing files
  --parallel N       experiments at once (4)`,
  options: {
    query: { type: "string" },
    slug: { type: "string", multiple: true },
    series: { type: "string", multiple: true },
    folder: { type: "string" },
    all: { type: "boolean" },
    format: { type: "string" },
    gzip: { type: "boolean" },
    out: { type: "string" },
    stdout: { type: "boolean" },
    force: { type: "boolean" },
    parallel: { type: "string" },
  },
  async run(invocation) {
    const { values, output } = invocation;
    noPositionals(invocation);
    const format = values.choice("format", ["csv", "ndjson", "parquet"]);
    const seriesNames = values.texts("series");
    if (format === "parquet") return exportParquet(invocation, seriesNames);
    if (seriesNames.length > 0) throw new UsageError("--series needs --format parquet");
    if (values.flag("stdout") && values.flag("gzip")) {
      throw new UsageError("--gzip is for files; without it, --stdout can be piped through gzip");
    }
    const parallel = values.integer("parallel", 4, 1, 64);
    const client = clientOf(invocation);
    const slugs = await selected(client, invocation);
    if (values.flag("stdout")) return toStandardOutput(client, slugs, format, invocation);

    const directory = values.text("out") ?? ".";
    const ending = `.${format}${values.flag("gzip") ? ".gz" : ""}`;
    const results: Exported[] = [];
    const partials = new PartialFiles();
    using _interruption = new Interruption(() => {
      partials.removeAll();
      output.failure("stopped; the written files are complete");
    });
    const options = { overwrite: values.flag("force"), partials };
    using progress = new Progress(output, slugs.length, (done) => {
      return `${done} of ${countedText(slugs.length, "experiment")}`;
    });
    await inParallel(parallel, slugs, async (slug) => {
      const result: Exported = { slug };
      try {
        const file = join(directory, fileNameOf(slug) + ending);
        const experiment = await namedExperiment(client, slug, () =>
          client.experiment({ experimentSlug: slug }),
        );
        await untilWhole(() => writeAtomically(file, textOf(client, experiment, format), options));
        result.file = file;
        if (!output.isTerminal) output.note(file);
      } catch (error) {
        result.error = explained(error as Error);
        progress.note(`${printable(slug)}: ${result.error}`);
      }
      results.push(result);
      progress.advance(1);
    });
    results.sort((left, right) => slugs.indexOf(left.slug) - slugs.indexOf(right.slug));
    const failed = results.filter((result) => result.error !== undefined).length;
    const exported = results.length - failed;
    output.answer({ exported, failed, results }, () => {
      return `${exported} of ${countedText(results.length, "experiment")} exported to ${directory}`;
    });
    return failed > 0 ? 1 : 0;
  },
});

interface Exported {
  slug: string;
  file?: string;
  error?: string;
}

/** Writes all experiments into one file of each kind, which other programs read as one table. */
async function exportParquet(
  invocation: Invocation,
  seriesNames: readonly string[],
): Promise<number> {
  const { values, output } = invocation;
  for (const other of ["gzip", "stdout"])
    if (values.flag(other)) throw new UsageError(`--${other} needs --format csv or ndjson`);
  const client = clientOf(invocation);
  const chosen: ParquetSelection = {
    ...(await parquetSelection(client, invocation)),
    ...(seriesNames.length > 0 && { seriesNames }),
  };
  const partials = new PartialFiles();
  using _interruption = new Interruption(() => {
    partials.removeAll();
    output.failure("stopped; the written files are complete");
  });
  const options = { overwrite: values.flag("force"), partials };
  const files = await writeParquetFiles(client, chosen, values.text("out") ?? ".", options);
  output.answer({ files }, () => files.join("\n"));
  return 0;
}

async function parquetSelection(
  client: LosslessClient,
  { values }: Invocation,
): Promise<ParquetSelection> {
  const { query, slugs, path } = choice(values);
  if (query !== undefined) return { query };
  if (path !== undefined)
    return path.length === 0
      ? {}
      : { folderId: folderAt(await client.folders.tree(), path).folderId };
  if (slugs.length > limits.exportExperimentsMax)
    throw new UsageError(`name ${limits.exportExperimentsMax} slugs at most, or use --query`);
  const experimentIds: string[] = [];
  for (const slug of slugs) {
    const read = () => client.experiment({ experimentSlug: slug });
    experimentIds.push((await namedExperiment(client, slug, read)).experimentId);
  }
  return { experimentIds };
}

/** The selection of experiments; `path` is empty for all of them. */
function choice(values: Invocation["values"]) {
  const [query, folder] = [values.text("query"), values.text("folder")];
  const slugs = [...new Set(values.texts("slug"))];
  const ways = [query !== undefined, slugs.length > 0, folder !== undefined, values.flag("all")];
  if (ways.filter(Boolean).length !== 1) {
    throw new UsageError("say what to export: --query Q, --slug SLUG, --folder PATH or --all");
  }
  const isPath = query === undefined && slugs.length === 0;
  return {
    query,
    slugs,
    path: isPath ? (folder === undefined ? [] : folderPath(folder)) : undefined,
  };
}

async function selected(client: LosslessClient, { values }: Invocation): Promise<string[]> {
  const { query, slugs, path } = choice(values);
  if (query !== undefined) return slugsFound(client, query);
  if (path === undefined) return slugs;
  const experiments = experimentsBelow(await client.folders.tree(), path);
  return experiments.map((experiment) => experiment.slug);
}

async function slugsFound(client: LosslessClient, query: string): Promise<string[]> {
  const slugs: string[] = [];
  let after: string | undefined;
  do {
    const page = { query, limit: limits.tableRowsMax, ...(after !== undefined && { after }) };
    const { rows, next } = await client.views.experiments(page);
    slugs.push(...rows.map(({ slug }) => slug));
    after = next;
  } while (after !== undefined);
  return slugs;
}

function textOf(client: LosslessClient, experiment: ExperimentRecord, format: "csv" | "ndjson") {
  return format === "csv" ? csvText(client, experiment) : ndjsonText(client, experiment);
}

async function toStandardOutput(
  client: LosslessClient,
  slugs: string[],
  format: "csv" | "ndjson",
  { output }: Invocation,
): Promise<number> {
  const [experimentSlug, ...more] = slugs;
  if (experimentSlug === undefined || more.length > 0) {
    throw new UsageError(`--stdout is for one experiment, not ${slugs.length}`);
  }
  const experiment = await client.experiment({ experimentSlug });
  for await (const text of textOf(client, experiment, format)) await output.write(text);
  return 0;
}
