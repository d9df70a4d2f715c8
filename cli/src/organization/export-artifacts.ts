import { rm } from "node:fs/promises";
import { join } from "node:path";
import { hasCode, LosslessError, type VersionRecord } from "@lossless/client";
import { pull } from "@lossless/client/files";
import type { ExportSource } from "./export-experiment.ts";
import {
  artifactDirectory,
  type ExportedNote,
  type ExportedVersion,
  type Manifest,
  names,
  readJson,
  versionDirectory,
  writeJson,
} from "./layout.ts";

interface ArtifactsExport {
  artifacts: Manifest["artifacts"];
  /** Versions that were not exported before. */
  added: number;
  problems: string[];
}

/**
 * Exports every committed version with its files, each in its own directory; existing ones stay.
 */
export async function exportArtifacts(
  source: ExportSource,
  directory: string,
  onVersion: (line: string) => void,
): Promise<ArtifactsExport> {
  const result: ArtifactsExport = { artifacts: [], added: 0, problems: [] };
  for await (const { artifact } of source.client.artifacts.list()) {
    const own = artifactDirectory(artifact);
    const versions: string[] = [];
    for await (const record of source.client.artifacts.versions(artifact)) {
      try {
        const target = versionDirectory(join(directory, own), record.version);
        if (await exportVersion(source, record, target)) {
          result.added++;
          onVersion(`${artifact} ${record.version}`);
        }
        versions.push(record.version);
      } catch (error) {
        if (!(error instanceof LosslessError)) throw error;
        // Trashed while it was listed.
        if (!hasCode(error, "not_found"))
          result.problems.push(`${artifact} ${record.version}: ${error.message}`);
      }
    }
    const notes = await notesOf(source, artifact);
    const aliases = await source.client.artifacts.aliases(artifact);
    const aliasChanges = await Array.fromAsync(source.client.artifacts.aliasChanges(artifact));
    result.artifacts.push({ artifact, directory: own, versions, notes, aliases, aliasChanges });
  }
  return result;
}

/** Exports a version; false if already exported: a version never changes. */
async function exportVersion(
  { client, partials }: ExportSource,
  { artifact, version, committed, source, meta }: VersionRecord,
  target: string,
): Promise<boolean> {
  const file = join(target, names.version);
  const known = await readJson<ExportedVersion>(file);
  if (known?.committed === committed) return false;
  await rm(file, { force: true });
  await pull(client, { artifact, version, directory: join(target, names.files), replace: true });
  const exported: ExportedVersion = { version, committed, source, meta };
  await writeJson(file, exported, partials);
  return true;
}

async function notesOf({ client }: ExportSource, artifact: string): Promise<ExportedNote[]> {
  const { notes } = await client.views.artifact(artifact, { limit: 1 });
  const read: ExportedNote[] = [];
  for (const { note } of notes) {
    const bytes = await client.artifacts.readNote(artifact, note);
    read.push({ note, base64: Buffer.from(bytes).toString("base64") });
  }
  return read;
}
