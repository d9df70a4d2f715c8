import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { hasCode, type LosslessClient, LosslessError, type Report } from "@lossless/client";
import { picturesNamedIn } from "@lossless/protocol/report-pictures";
import { writeAtomically } from "../export/write-atomically.ts";
import type { ExportSource } from "./export-experiment.ts";
import { pictureFile } from "./layout.ts";

/** Writes the pictures that reports name; returns sentences about those that are not there. */
export async function exportPictures(
  { client, partials }: Pick<ExportSource, "client" | "partials">,
  directory: string,
  reports: readonly Report[],
): Promise<string[]> {
  const missing: string[] = [];
  for (const { id, name, blocks } of reports)
    for (const picture of picturesNamedIn(JSON.stringify(blocks))) {
      const file = pictureFile(directory, picture);
      // Its name is that of its content.
      if (existsSync(file)) continue;
      try {
        const content = await client.reports.picture({ id, picture });
        await writeAtomically(file, oneChunk(content), { overwrite: true, partials });
      } catch (error) {
        if (!hasCode(error, "not_found")) throw error;
        missing.push(`a picture that the report ${name} names is not there`);
      }
    }
  return missing;
}

async function* oneChunk(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

/**
 * Puts the pictures of an imported report beside it, also after an import that was interrupted;
 * returns a sentence about what is not done.
 */
export async function importPictures(
  client: LosslessClient,
  directory: string,
  { name, scope, blocks }: Pick<Report, "name" | "scope" | "blocks">,
): Promise<string | undefined> {
  const files = picturesNamedIn(JSON.stringify(blocks))
    .map((picture) => pictureFile(directory, picture))
    .filter((file) => existsSync(file));
  if (files.length === 0) return undefined;
  try {
    const listed = await client.reports.list();
    const made = listed.find((one) => one.name === name && one.scope === scope);
    if (made === undefined) return undefined;
    const stored = await client.reports.read(made.id);
    // Another report of this name stays as it is.
    if (JSON.stringify(stored.blocks) !== JSON.stringify(blocks)) return undefined;
    for (const file of files)
      await client.reports.addPicture(made.id, new Uint8Array(await readFile(file)));
    return undefined;
  } catch (error) {
    if (!(error instanceof LosslessError)) throw error;
    // An API key has made no report either, which is said there.
    return hasCode(error, "forbidden")
      ? undefined
      : `pictures of the report ${name}: ${error.message}`;
  }
}
