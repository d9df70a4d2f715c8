import { existsSync } from "node:fs";
import { join } from "node:path";
import { LosslessError } from "@lossless/client";
import { type Command, CommandError, type Invocation, UsageError } from "../command.ts";
import { clientOf, connectionHelp, connectionOptions } from "../connection.ts";
import { explained } from "../explained.ts";
import { defaultBaseTimestampMs } from "../import/import-record.ts";
import { ImportProgress } from "../import/import-progress.ts";
import { scan, slugOf } from "../import/scan.ts";
import { send, type Sent } from "../import/send.ts";
import { Interruption } from "../interruption.ts";
import { names } from "../organization/layout.ts";
import { countText, printable } from "../output.ts";
import { inParallel } from "@lossless/client/in-parallel";
import { folderPath } from "../tree-selection.ts";

export const importFiles: Command = {
  usage: "import FILES... --folder PATH [options]",
  help: `
Records CSV files (also .csv.gz) with the columns step,elapsed_ms,metric,value and an optional column meta.
Each file becomes one experiment; its slug is the file's name without endings. Running the same import
again, also after it was killed, stores nothing twice.

  --folder PATH      folder to put the experiments in, names joined by slashes; made when missing
  --slug-prefix P    stands before every slug
  --base-timestamp N Unix milliseconds that elapsed_ms, or the row number where that is empty, is added to
                     (${defaultBaseTimestampMs})
  --append           add to experiments that no import has made
  --parallel N       files sent at once (8)${connectionHelp}`,
  options: {
    ...connectionOptions,
    folder: { type: "string" },
    "slug-prefix": { type: "string" },
    "base-timestamp": { type: "string" },
    append: { type: "boolean" },
    parallel: { type: "string" },
  },
  run: runImport,
};

interface FileResult extends Partial<Omit<Sent, "rejectedRows">> {
  file: string;
  slug: string;
  rows: number;
  wrongRows: number;
  problems: { line: number; problem: string }[];
  /** Why the file could not be imported, or not to its end. */
  error?: string;
}

const shownProblemsMax = 20;
/** A service that restarts, or is moved, is waited for. */
const patienceMs = 300_000;

async function runImport(invocation: Invocation): Promise<number> {
  const { values, positionals: paths, output } = invocation;
  const baseTimestampMs = values.integer("base-timestamp", defaultBaseTimestampMs, 0, 2 ** 53 - 1);
  const parallel = values.integer("parallel", 8, 1, 64);
  const slugs = slugsOf(paths, values.text("slug-prefix") ?? "");
  const path = targetFolder(values.text("folder"));
  // Before the folder is made, and before an hour of other files.
  for (const file of paths) {
    if (!existsSync(file)) throw new UsageError(`there is no file ${printable(file)}`);
    if (existsSync(join(file, names.manifest)))
      throw new UsageError(
        `${printable(file)} is an exported organization: lossless import organization DIR takes it`,
      );
  }
  // Whether the service is there and the key is right is best known before reading gigabytes.
  await clientOf(invocation).authStatus();
  const client = clientOf(invocation, patienceMs);

  using _interruption = new Interruption(() => {
    output.failure("stopped; run the same command again, nothing is stored twice");
  });
  const folderId = path === undefined ? undefined : await client.folders.ensure(path);
  const results: FileResult[] = [];
  using progress = new ImportProgress(output, [...slugs.values()]);
  await inParallel(parallel, [...slugs], async ([slug, file]) => {
    const result: FileResult = { file, slug, rows: 0, wrongRows: 0, problems: [] };
    try {
      const found = await scan(file, slug, baseTimestampMs);
      Object.assign(result, { rows: found.record.rows, wrongRows: found.wrongRows });
      result.problems.push(...found.problems);
      const options = {
        folderId,
        append: values.flag("append"),
        onProgress: (points: number, rows: number): void =>
          progress.advance(file, points, rows, found.record.rows),
        onRetry: (error: Error): void => progress.waiting(error),
        patienceMs,
      };
      const { rejectedRows, ...sent } = await send(client, found, options);
      Object.assign(result, sent);
      result.problems.push(...rejectedRows);
    } catch (error) {
      if (!(error instanceof CommandError || error instanceof LosslessError)) throw error;
      result.error = explained(error);
    }
    results.push(result);
    progress.finishFile(file, linesOf(result, output.isTerminal));
  });
  return conclude(results, paths, output);
}

/** A folder that is named needs a name: `--folder "$UNSET"` would put everything in the root. */
function targetFolder(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const path = folderPath(text);
  if (path.length > 0) return path;
  throw new UsageError("--folder needs a name; leave it out to put the experiments in no folder");
}

function slugsOf(paths: readonly string[], prefix: string): Map<string, string> {
  if (paths.length === 0) throw new UsageError("name the CSV files to import");
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

/** On a terminal the bar says enough of files that went well. */
function linesOf(result: FileResult, isTerminal: boolean): string[] {
  const lines: string[] = [];
  const failed = result.error !== undefined || result.problems.length > 0;
  if (!isTerminal || failed) {
    const { stored = 0, deduplicated = 0 } = result;
    const counts = `${countText(stored)} new, ${countText(deduplicated)} already there`;
    lines.push(`${printable(result.slug)}: ${counts}`);
  }
  for (const { line, problem } of result.problems.slice(0, shownProblemsMax)) {
    lines.push(`${result.file}:${line}: ${printable(problem)}`);
  }
  const more = result.wrongRows + (result.rejected ?? 0) - shownProblemsMax;
  if (more > 0) lines.push(`${result.file}: and ${countText(more)} more wrong rows`);
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
    const imported = `${totals.files - totals.failedFiles} of ${totals.files} files imported`;
    const points = `${countText(totals.stored)} points new, ${countText(totals.deduplicated)} already there`;
    const nonfinite = totals.nonfinite > 0 ? `, ${totals.nonfinite} not finite` : "";
    const wrong = totals.wrongRows > 0 ? `, ${countText(totals.wrongRows)} wrong rows` : "";
    return `${imported}: ${points}${nonfinite}${wrong}`;
  });
  return totals.failedFiles + totals.wrongRows > 0 ? 1 : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
