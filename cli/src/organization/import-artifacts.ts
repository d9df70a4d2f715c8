import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  hasCode,
  LosslessError,
  type LosslessClient,
  type VersionAlias,
  type VersionRecord,
} from "@lossless/client";
import { checksumsKey, push } from "@lossless/client/files";
import { CommandError } from "../command.ts";
import { explained } from "../explained.ts";
import {
  type ExportedVersion,
  type Manifest,
  names,
  readJson,
  versionDirectory,
} from "./layout.ts";

interface ArtifactsImport {
  added: number;
  problems: string[];
}

/** Pushes missing versions in their order, and writes the notes. */
export async function importArtifacts(
  client: LosslessClient,
  directory: string,
  { artifacts }: Manifest,
  onVersion: (line: string) => void,
): Promise<ArtifactsImport> {
  const result: ArtifactsImport = { added: 0, problems: [] };
  for (const { artifact, directory: own, versions, notes, aliases = [] } of artifacts) {
    try {
      const there = await versionsOf(client, artifact);
      for (const version of versions) {
        const target = versionDirectory(join(directory, own), version);
        if (await importVersion(client, { artifact, version, target }, there)) {
          result.added++;
          onVersion(`${artifact} ${version}`);
        }
      }
      for (const { note, base64 } of notes)
        await client.artifacts.writeNote(
          artifact,
          note,
          new Uint8Array(Buffer.from(base64, "base64")),
        );
      const problems = await importAliases(client, artifact, aliases);
      result.problems.push(...problems.map((problem) => `${artifact}: ${problem}`));
    } catch (error) {
      if (!(error instanceof LosslessError || error instanceof CommandError)) throw error;
      result.problems.push(`${artifact}: ${explained(error)}`);
    }
  }
  return result;
}

/** Sets missing aliases; one that was moved here stays. Returns those that could not be set. */
async function importAliases(
  client: LosslessClient,
  artifact: string,
  aliases: readonly VersionAlias[],
): Promise<string[]> {
  const problems: string[] = [];
  if (aliases.length === 0) return problems;
  const there = new Set((await client.artifacts.aliases(artifact)).map(({ alias }) => alias));
  for (const { alias, version, state } of aliases) {
    if (there.has(alias)) continue;
    if (state !== "present") {
      const where = state === "trashed" ? "in the trash" : "deleted";
      problems.push(`the alias ${alias} is left out: its version ${version} was ${where}`);
    } else await client.artifacts.setAlias(artifact, alias, version, { expected: null });
  }
  return problems;
}

async function versionsOf(
  client: LosslessClient,
  artifact: string,
): Promise<Map<string, VersionRecord>> {
  const found = new Map<string, VersionRecord>();
  try {
    for await (const record of client.artifacts.versions(artifact))
      found.set(record.version, record);
  } catch (error) {
    if (!hasCode(error, "not_found")) throw error;
  }
  return found;
}

/** Pushes a version; false if it exists. */
async function importVersion(
  client: LosslessClient,
  { artifact, version, target }: { artifact: string; version: string; target: string },
  there: ReadonlyMap<string, VersionRecord>,
): Promise<boolean> {
  const exported = await readJson<ExportedVersion>(join(target, names.version));
  const path = join(target, names.files);
  if (exported === undefined || !existsSync(path))
    throw new CommandError(`the files of the version ${version} are missing in ${target}`);
  const { [checksumsKey]: sums, ...meta } = exported.meta;
  const known = there.get(version);
  if (known !== undefined) {
    const own = known.meta[checksumsKey];
    if (sums === undefined || JSON.stringify(own) === JSON.stringify(sums)) return false;
    throw new CommandError(`the version ${version} exists already, with other files`);
  }
  const { source } = exported;
  await push(client, {
    artifact,
    version,
    path,
    meta,
    ...(source !== null && { place: { source } }),
  });
  return true;
}
