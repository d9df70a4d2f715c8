import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Every text file of the repository, by its path with forward slashes. */
export type Tree = ReadonlyMap<string, string>;

/** Returns one line per fault, `path:line: what is wrong`. */
export type Check = (tree: Tree) => string[];

/** Directories without sources of ours. Git is not asked: an unpacked archive is checked too. */
const foreign = new Set(["node_modules", ".git", "lossless-data", "reports", "dist"]);

export async function readTree(root: string): Promise<Tree> {
  const tree = new Map<string, string>();
  await readFolder(root, "", tree);
  return tree;
}

async function readFolder(root: string, folder: string, tree: Map<string, string>): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    // A git worktree has a file of that name.
    if (foreign.has(entry.name)) continue;
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) await readFolder(root, path, tree);
    if (!entry.isFile() || entry.name.endsWith(".log")) continue;
    const text = await readFile(join(root, path), "utf8");
    if (!text.includes("\0")) tree.set(path, text);
  }
}

/** Runs `judge` on every line of files whose path passes; its result is the line's fault. */
export function eachLine(
  tree: Tree,
  wanted: (path: string) => boolean,
  judge: (line: string, path: string) => string | undefined,
): string[] {
  const faults: string[] = [];
  for (const [path, text] of tree) {
    if (!wanted(path)) continue;
    for (const [index, line] of text.split("\n").entries()) {
      const fault = judge(line, path);
      if (fault !== undefined) faults.push(`${path}:${index + 1}: ${fault}`);
    }
  }
  return faults;
}

export const isTest = (path: string) => /\.(test|stores|readers|long)\.ts$/.test(path);
export const isTypeScript = (path: string) => /\.tsx?$/.test(path);
export const isPython = (path: string) => path.endsWith(".py");
export const isGenerated = (text: string) => /^(\/\/|#) Generated/.test(text);
