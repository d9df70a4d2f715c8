import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { checkoutRoot } from "../service.ts";

export const run = promisify(execFile);

/** A directory of its own, for what is made and installed, that vanishes with the suite. */
export class Workshop implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "lossless-release-"));

  path(...names: string[]): string {
    return join(this.directory, ...names);
  }

  /** `npm run release` of these sources, whether they are committed or not. */
  release(name: string, ...words: string[]): Promise<string> {
    return this.#release(checkoutRoot, name, words);
  }

  /** The same of a copy of them, in a place with another name, deeper, with pages made there. */
  async releaseElsewhere(name: string): Promise<string> {
    const copy = this.path("another", "checkout");
    const modules = join(copy, "node_modules");
    mkdirSync(join(modules, ".cache"), { recursive: true });
    const copied = async (from: string, names: string[], to: string) => {
      await run("cp", ["-a", ...names.map((each) => join(checkoutRoot, from, each)), to]);
    };
    const without = (from: string, left: string[]) =>
      readdirSync(join(checkoutRoot, from)).filter((each) => !left.includes(each));
    await copied("", without("", ["node_modules", "dist"]), copy);
    await copied("node_modules", without("node_modules", [".cache"]), modules);
    await copied("node_modules/.cache", ["lossless-release", "python-tools"], `${modules}/.cache`);
    rmSync(join(copy, "web/dist"), { recursive: true, force: true });
    return this.#release(copy, name, []);
  }

  async #release(root: string, name: string, words: string[]): Promise<string> {
    const out = this.path(name);
    const program = join(root, "scripts/release/main.ts");
    await run(process.execPath, [program, "--allow-changes", "--out", out, ...words]);
    return out;
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Names of the files whose bytes differ, or that are in one of the directories only. */
export function differences(one: string, other: string): string[] {
  const names = new Set([...readdirSync(one), ...readdirSync(other)]);
  const bytes = (directory: string, name: string) =>
    readdirSync(directory).includes(name) ? readFileSync(join(directory, name)) : Buffer.alloc(0);
  return [...names].filter((name) => !bytes(one, name).equals(bytes(other, name)));
}

/** The one file of a release whose name ends so. */
export function fileOf(directory: string, pattern: RegExp): string {
  const found = readdirSync(directory).filter((name) => pattern.test(name));
  if (found.length !== 1) throw new Error(`${found.length} files of the release are ${pattern}`);
  return join(directory, found[0]);
}
