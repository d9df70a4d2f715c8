/**
 * `npm run release`: builds all installable artefacts of this commit in `dist/release/`. Two runs
 * give equal bytes (docs/releasing.md says for which artefacts).
 *
 *   npm run release -- --only npm,archive   only these kinds of artefacts
 *   npm run release -- --allow-changes      with uncommitted changes, for trying it out
 *   npm run release -- --out DIR            into a directory that must not exist yet
 *   npm run release -- --update-debian      only pins the versions that Debian has now
 *   npm run release -- --set-version 0.2.0  only sets the version, in all files
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

/**
 * Makes the release completely or not at all: files are written to a directory beside it, which is
 * then renamed.
 */
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
