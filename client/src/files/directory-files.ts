import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Dirent } from "node:fs";
import { FileNameError, LosslessError } from "../errors.ts";
import { fileNameProblem } from "../file-name.ts";
import { limits } from "../wire.ts";

export interface FoundFile {
  /** Path below the directory, with slashes. */
  name: string;
  path: string;
}

export interface Found {
  files: FoundFile[];
  /** Sentences about entries of the directory that are left out. */
  omissions: string[];
}

/**
 * Lists the files of a directory and all below it, hidden ones too, in the order of their names;
 * for a file, the file itself. A link to a file stands for the file's content. Links to directories
 * and empty directories are left out and reported; other kinds of entries, and names that no
 * version can have, are refused.
 */
export async function filesIn(path: string): Promise<Found> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new LosslessError(`cannot read ${path}: ${error.code ?? error.message}`);
  });
  const found: Found = { files: [], omissions: [] };
  if (stats.isDirectory()) await walk(path, "", found);
  else if (stats.isFile()) add(found, basename(path), path);
  else throw new LosslessError(`${path} is neither a file nor a directory`);
  if (found.files.length > limits.filesPerVersionMax) {
    const counts = `${found.files.length} files, and a version has at most`;
    throw new LosslessError(`${path} has ${counts} ${limits.filesPerVersionMax}: pack them`);
  }
  found.files.sort((left, right) => (left.name < right.name ? -1 : 1));
  return found;
}

async function walk(directory: string, prefix: string, found: Found): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true, encoding: "buffer" });
  if (entries.length === 0 && prefix !== "") {
    found.omissions.push(`${directory} is empty; empty directories are not stored`);
  }
  for (const entry of entries) {
    const word = textOf(entry, directory);
    const path = join(directory, word);
    const name = `${prefix}${word}`;
    if (entry.isDirectory()) await walk(path, `${name}/`, found);
    else if (entry.isFile()) add(found, name, path);
    else if (entry.isSymbolicLink()) await follow(path, name, found);
    else throw new LosslessError(`${path} is neither a file nor a directory`);
  }
}

async function follow(path: string, name: string, found: Found): Promise<void> {
  const target = await stat(path).catch(() => undefined);
  if (target === undefined) throw new LosslessError(`${path} is a broken link`);
  if (target.isFile()) return add(found, name, path);
  if (!target.isDirectory()) throw new LosslessError(`${path} is neither a file nor a directory`);
  found.omissions.push(`${path} is a link to a directory, which is not followed`);
}

function add(found: Found, name: string, path: string): void {
  const problem = fileNameProblem(name);
  if (problem !== undefined) throw notPushed(path, `its name ${problem}`);
  found.files.push({ name, path });
}

/**
 * Returns the name of an entry, which must be UTF-8: any other name would not survive a round trip.
 */
function textOf(entry: Dirent<Buffer<ArrayBuffer>>, directory: string): string {
  const word = entry.name.toString("utf8");
  if (Buffer.from(word, "utf8").equals(entry.name)) return word;
  throw notPushed(join(directory, word), "its name is not UTF-8");
}

/** Quotes the path, as it may hold characters that a terminal should not print. */
function notPushed(path: string, problem: string): FileNameError {
  return new FileNameError(`${JSON.stringify(path)} cannot be pushed: ${problem}`);
}
