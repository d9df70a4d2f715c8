import { join } from "node:path";
import {
  type ExperimentRecord,
  IncompleteStreamError,
  isTransient,
  type LosslessClient,
} from "@lossless/client";
import { type Command, type Invocation, noPositionals, UsageError } from "../command.ts";
import { clientOf, connectionHelp, connectionOptions } from "../connection.ts";
import { explained } from "../explained.ts";
import { csvText } from "../export/csv-text.ts";
import { ndjsonText } from "../export/ndjson-text.ts";
import {
  fileNameOf,
  PartialFiles,
  writeAtomically,
  type WriteOptions,
} from "../export/write-atomically.ts";
import { Interruption } from "../interruption.ts";
import { namedExperiment } from "../named-experiment.ts";
import { printable } from "../output.ts";
import { inParallel } from "@lossless/client/in-parallel";
import { Progress } from "../progress.ts";
import { experimentsBelow, folderPath } from "../tree-selection.ts";

export const exportExperiments: Command = {
  usage: "export (--slug SLUG | --folder PATH | --all) [options]",
  help: `
Writes each experiment to a file named after its slug: CSV with the columns step,elapsed_ms,metric,value
(and meta when points have one), or NDJSON with one point a line. A file is whole or not there.

  --slug SLUG        an experiment; may stand several times
  --folder PATH      every experiment at and below a folder, names joined by slashes
  --all              every experiment
  --format F         csv or ndjson (csv)
  --gzip             write .csv.gz or .ndjson.gz
  --out DIR          where to write (.)
  --stdout           write one experiment to standard output
  --force            replace files that exist
  --parallel N       experiments at once (4)${connectionHelp}`,
  options: {
    ...connectionOptions,
    slug: { type: "string", multiple: true },
    folder: { type: "string" },
    all: { type: "boolean" },
    format: { type: "string" },
    gzip: { type: "boolean" },
    out: { type: "string" },
    stdout: { type: "boolean" },
    force: { type: "boolean" },
    parallel: { type: "string" },
  },
  run: runExport,
};

const attemptsMax = 3;

interface Exported {
  slug: string;
  file?: string;
  error?: string;
}

async function runExport(invocation: Invocation): Promise<number> {
  const { values, output } = invocation;
  noPositionals(invocation);
  const format = values.choice("format", ["csv", "ndjson"]);
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
    output.failure("stopped; the files that are there are whole");
  });
  const options = { overwrite: values.flag("force"), partials };
  using progress = new Progress(output, slugs.length, (done) => {
    return `${done} of ${slugs.length} experiments`;
  });
  await inParallel(parallel, slugs, async (slug) => {
    const result: Exported = { slug };
    try {
      const file = join(directory, fileNameOf(slug) + ending);
      const experiment = await namedExperiment(client, slug, () =>
        client.experiment({ experimentSlug: slug }),
      );
      await writeWhole(client, experiment, format, file, options);
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
    return `${exported} of ${results.length} experiments exported to ${directory}`;
  });
  return failed > 0 ? 1 : 0;
}

async function selected(client: LosslessClient, { values }: Invocation): Promise<string[]> {
  const slugs = values.texts("slug");
  const folder = values.text("folder");
  const ways = [slugs.length > 0, folder !== undefined, values.flag("all")];
  if (ways.filter(Boolean).length !== 1) {
    throw new UsageError("say what to export: --slug SLUG, --folder PATH or --all");
  }
  if (slugs.length > 0) return [...new Set(slugs)];
  const path = folder === undefined ? [] : folderPath(folder);
  const experiments = experimentsBelow(await client.folders.tree(), path);
  return experiments.map((experiment) => experiment.slug);
}

function textOf(client: LosslessClient, experiment: ExperimentRecord, format: "csv" | "ndjson") {
  return format === "csv" ? csvText(client, experiment) : ndjsonText(client, experiment);
}

/** A stream that breaks leaves nothing behind, so the file is written again from the start. */
async function writeWhole(
  client: LosslessClient,
  experiment: ExperimentRecord,
  format: "csv" | "ndjson",
  file: string,
  options: WriteOptions,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeAtomically(file, textOf(client, experiment, format), options);
    } catch (error) {
      const mayRetry = isTransient(error) || error instanceof IncompleteStreamError;
      if (!mayRetry || attempt === attemptsMax) throw error;
    }
  }
}

async function toStandardOutput(
  client: LosslessClient,
  slugs: string[],
  format: "csv" | "ndjson",
  { output }: Invocation,
): Promise<number> {
  const [experimentSlug, ...more] = slugs;
  if (experimentSlug === undefined || more.length > 0) {
    throw new UsageError(`--stdout is for one experiment, and these are ${slugs.length}`);
  }
  const experiment = await client.experiment({ experimentSlug });
  for await (const text of textOf(client, experiment, format)) await output.write(text);
  return 0;
}
