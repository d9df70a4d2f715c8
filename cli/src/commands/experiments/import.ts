import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasCode, LosslessError } from "@lossless/client";
import { CommandError, type Invocation, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { explained } from "../../explained.ts";
import { checkSameFile, existingExperiment } from "../../import/earlier-import.ts";
import { defaultBaseTimestampMs, importRecordOf } from "../../import/import-record.ts";
import { ImportProgress } from "../../import/import-progress.ts";
import { scan, slugOf } from "../../import/scan.ts";
import { send, type Sent } from "../../import/send.ts";
import { TargetFolder } from "../../import/target-folder.ts";
import { Interruption } from "../../interruption.ts";
import { names } from "../../organization/layout.ts";
import { countedText, countText, printable } from "../../output.ts";
import { inParallel } from "@lossless/client/in-parallel";
import { folderPath } from "../../tree-selection.ts";

export const importFiles = serviceCommand({
  usage: "import FILES... --folder PATH [options]",
  help: `
Records CSV files (also .csv.gz) with the columns step,elapsed_ms,metric,value and an optional column meta.
Each file becomes one experiment; its slug is the file's name without its endings. You may interrupt and repeat the
import: it stores nothing twice.

  lossless import mlflow URL          runs of an MLflow server
  lossless import organization DIR    what lossless export organization has written
  python -m lossless import tensorboard DIR   event files; the Python package has this command, and
  python -m lossless import wandb DIR         W&B's offline runs; with --service those of its service
  python -m lossless import trackio DIR       Trackio's projects
  python -m lossless import neptune DIR       what neptune-exporter has written
  python -m lossless import aim DIR           Aim's repositories, with its package
  python -m lossless import clearml DIR       ClearML's offline sessions
  python -m lossless import comet DIR         Comet's offline archives
  python -m lossless import swanlab DIR       SwanLab's runs on this machine
  python -m lossless import tables DIR        CSV, TSV, JSON lines and Parquet of any form, and DVCLive's directories

  --wide             the files have a column for each metric, as most programs write them: Lightning, Keras,
                     Stable-Baselines3, TensorBoard, W&B, pandas; separated by commas, semicolons or tabs
  --step-column NAME the column with the steps; with --wide, found by its name by default
  --folder PATH      folder for the experiments, names joined by slashes; made if missing
  --slug-prefix P    put before every slug
  --base-timestamp N Unix milliseconds added to elapsed_ms, or to the row number if that is empty
                     (${defaultBaseTimestampMs})
  --append           add to experiments that no import has made
  --parallel N       files sent at once (8)`,
  options: {
    folder: { type: "string" },
    "slug-prefix": { type: "string" },
    "base-timestamp": { type: "string" },
    append: { type: "boolean" },
    wide: { type: "boolean" },
    "step-column": { type: "string" },
    parallel: { type: "string" },
  },
  async run(invocation) {
    const { values, positionals: paths, output } = invocation;
    const baseTimestampMs = values.integer(
      "base-timestamp",
      defaultBaseTimestampMs,
      0,
      2 ** 53 - 1,
    );
    const parallel = values.integer("parallel", 8, 1, 64);
    const slugs = slugsOf(paths, values.text("slug-prefix") ?? "");
    const path = targetFolder(values.text("folder"));
    const stepColumn = values.text("step-column");
    if (stepColumn !== undefined && !values.flag("wide")) {
      throw new UsageError("--step-column goes with --wide");
    }
    // An unreachable service or a wrong key should fail before gigabytes are read.
    await clientOf(invocation).authStatus();
    const client = clientOf(invocation, patienceMs);

    using _interruption = new Interruption(() => {
      output.failure("stopped; run the same command again: nothing is stored twice");
    });
    const target = new TargetFolder(client, path);
    const results: FileResult[] = [];
    using progress = new ImportProgress(output, [...slugs.values()]);
    await inParallel(parallel, [...slugs], async ([slug, file]) => {
      const result: FileResult = { file, slug, rows: 0, wrongRows: 0, problems: [], notes: [] };
      try {
        await asItStands(async () => {
          const append = values.flag("append");
          const before = await existingExperiment(client, slug, { baseTimestampMs, append });
          const found = await scan(file, slug, {
            baseTimestampMs,
            wide: values.flag("wide") ? { stepColumn } : undefined,
            earlier: importRecordOf(before?.meta ?? {}),
          });
          const { record, wrongRows, problems, notes } = found;
          Object.assign(result, { rows: record.rows, wrongRows, problems, notes: [...notes] });
          if (before !== undefined) {
            await checkSameFile(client, before, found);
            result.notes.push(...(await target.notesOf(before)));
          }
          const options = {
            folderId: before === undefined ? await target.id() : undefined,
            onProgress: (points: number, rows: number): void =>
              progress.advance(file, points, rows, record.rows),
            onRetry: (error: Error): void => progress.waiting(error),
            patienceMs,
          };
          const { rejectedRows, ...sent } = await send(client, found, before, options);
          Object.assign(result, { ...sent, problems: [...problems, ...rejectedRows] });
        });
      } catch (error) {
        if (!(error instanceof CommandError || error instanceof LosslessError)) throw error;
        result.error = explained(error);
      }
      results.push(result);
      progress.finishFile(file, linesOf(result, output.isTerminal));
    });
    return conclude(results, paths, output);
  },
});

interface FileResult extends Partial<Omit<Sent, "rejectedRows">> {
  file: string;
  slug: string;
  rows: number;
  wrongRows: number;
  problems: { line: number; problem: string }[];
  notes: string[];
  /** Why the file was not imported, or not completely. */
  error?: string;
}

const shownProblemsMax = 20;
/** Milliseconds to wait for a service that restarts or moves. */
const patienceMs = 300_000;
const attemptsMax = 10;

/** Tries again while others change the experiment between the look at it and its opening. */
async function asItStands(attempt: () => Promise<void>): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!hasCode(error, "experiment_changed") || attempts === attemptsMax) throw error;
    }
  }
}

/** Rejects an empty folder: `--folder "$UNSET"` would put everything in the root. */
function targetFolder(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const path = folderPath(text);
  if (path.length > 0) return path;
  throw new UsageError("--folder needs a name; leave it out to put the experiments in no folder");
}

/** Sources with commands of their own, which users name as if they were files. */
const sources = `; other sources: lossless import mlflow URL, lossless import organization DIR, and python -m lossless import aim DIR, clearml DIR, comet DIR, neptune DIR, swanlab DIR, tensorboard DIR, trackio DIR, wandb DIR or tables DIR`;

function checkIsFile(file: string): void {
  const place = printable(file);
  const status = statSync(file, { throwIfNoEntry: false });
  if (status === undefined) {
    // A word without a dot or a slash is more likely the name of a source.
    throw new UsageError(`there is no file ${place}${/[./\\]/.test(file) ? "" : sources}`);
  }
  if (!status.isDirectory()) return;
  if (existsSync(join(file, names.manifest))) {
    throw new UsageError(
      `${place} is an exported organization: lossless import organization DIR takes it`,
    );
  }
  throw new UsageError(`${place} is a directory: name the CSV files in it${sources}`);
}

function slugsOf(paths: readonly string[], prefix: string): Map<string, string> {
  if (paths.length === 0) throw new UsageError(`name the CSV files to import${sources}`);
  // Checked before the folder is made, and before an hour of other files.
  for (const file of paths) checkIsFile(file);
  const slugs = new Map<string, string>();
  for (const path of paths) {
    const slug = prefix + slugOf(path);
    const other = slugs.get(slug);
    if (other !== undefined) {
      throw new UsageError(`${other} and ${path} would both become the experiment ${slug}`);
    }
    slugs.set(slug, path);
  }
  return slugs;
}

/** Lines about a file; on a terminal the bar suffices for files without problems. */
function linesOf(result: FileResult, isTerminal: boolean): string[] {
  const lines = result.notes.map((note) => `${printable(result.slug)}: ${printable(note)}`);
  const failed = result.error !== undefined || result.problems.length > 0;
  if (!isTerminal || failed) {
    const { stored = 0, deduplicated = 0 } = result;
    const counts = `${countText(stored)} new, ${countText(deduplicated)} already stored`;
    lines.push(`${printable(result.slug)}: ${counts}`);
  }
  for (const { line, problem } of result.problems.slice(0, shownProblemsMax)) {
    lines.push(`${result.file}:${line}: ${printable(problem)}`);
  }
  const more = result.wrongRows + (result.rejected ?? 0) - shownProblemsMax;
  if (more > 0) lines.push(`${result.file}: and ${countedText(more, "more wrong row")}`);
  if (result.error !== undefined) lines.push(`${result.file}: ${printable(result.error)}`);
  return lines;
}

function conclude(
  results: FileResult[],
  paths: readonly string[],
  output: Invocation["output"],
): number {
  results.sort((left, right) => paths.indexOf(left.file) - paths.indexOf(right.file));
  const failedFiles = results.filter((result) => result.error !== undefined);
  const totals = {
    files: results.length,
    failedFiles: failedFiles.length,
    stored: sum(results.map((result) => result.stored ?? 0)),
    deduplicated: sum(results.map((result) => result.deduplicated ?? 0)),
    nonfinite: sum(results.map((result) => result.nonfinite ?? 0)),
    wrongRows: sum(results.map((result) => result.wrongRows + (result.rejected ?? 0))),
  };
  output.answer({ ...totals, results }, () => {
    const imported = `${totals.files - totals.failedFiles} of ${countedText(totals.files, "file")} imported`;
    const points = `${countedText(totals.stored, "new point")}, ${countText(totals.deduplicated)} already stored`;
    const nonfinite = totals.nonfinite > 0 ? `, ${totals.nonfinite} not finite` : "";
    const wrong = totals.wrongRows > 0 ? `, ${countedText(totals.wrongRows, "wrong row")}` : "";
    return `${imported}: ${points}${nonfinite}${wrong}`;
  });
  return totals.failedFiles + totals.wrongRows > 0 ? 1 : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
