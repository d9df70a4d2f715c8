/**
 * `npm run release`: makes everything that can be installed of this commit, in `dist/release/`. Two
 * runs give equal bytes (docs/releasing.md says of what).
 *
 *   npm run release -- --only npm,archive   some kinds of it
 *   npm run release -- --allow-changes      also of what is not committed, to try it
 *   npm run release -- --out DIR            elsewhere; the directory must not be there yet
 *   npm run release -- --update-debian      writes the versions that Debian has now, and ends
 *   npm run release -- --set-version 0.2.0  writes another version wherever it stands, and ends
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { artefacts, type Kind, kinds } from "./artefacts.ts";
import { checksums } from "./checksums.ts";
import { updatePins } from "./debian-packages.ts";
import { describeRelease, setVersion } from "./release.ts";

const root = join(import.meta.dirname, "../..");

const { values } = parseArgs({
  options: {
    only: { type: "string", default: kinds.join(",") },
    out: { type: "string" },
    "allow-changes": { type: "boolean", default: false },
    "set-version": { type: "string" },
    "update-debian": { type: "boolean", default: false },
  },
});

try {
  if (values["update-debian"]) console.log(await updatePins(root));
  else if (values["set-version"] !== undefined) setVersion(root, values["set-version"]);
  else await make(values.only.split(","));
} catch (error) {
  console.error(`release: ${(error as Error).message}`);
  process.exitCode = 1;
}

/** Whole or not there: files are written beside their place and moved into it. */
async function make(wanted: string[]): Promise<void> {
  const unknown = wanted.filter((kind) => !kinds.includes(kind as Kind));
  if (unknown.length > 0) throw new Error(`no such kind: ${unknown.join()}; ${kinds.join()} are`);
  const release = await describeRelease(root, values["allow-changes"]);
  const directory = values.out ?? join(root, "dist/release");
  const written = join(dirname(directory), `.release-${process.pid}`);
  mkdirSync(written, { recursive: true });
  try {
    const made = await artefacts(release, new Set(wanted as Kind[]));
    for (const { name, content } of [...made, checksums(made)]) {
      writeFileSync(join(written, name), content);
      console.log(`${content.length.toLocaleString("en-US").padStart(12)}  ${name}`);
    }
    if (values.out === undefined) rmSync(directory, { recursive: true, force: true });
    renameSync(written, directory);
  } finally {
    rmSync(written, { recursive: true, force: true });
  }
}
