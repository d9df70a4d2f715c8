import { type ExperimentRecord, hasCode, type LosslessClient } from "@lossless/client";
import { CommandError } from "./command.ts";
import { didYouMean } from "@lossless/protocol/near-names";
import { printable } from "./output.ts";
import { experimentsBelow } from "./tree-selection.ts";

/** Reads an experiment by its slug; if missing, the error names similar slugs. */
export async function namedExperiment<Answer>(
  client: LosslessClient,
  slug: string,
  read: (client: LosslessClient) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await read(client);
  } catch (error) {
    if (!hasCode(error, "experiment_not_found")) throw error;
    const near = didYouMean(slug, await slugsOf(client));
    throw new CommandError(printable(`there is no experiment ${slug}${near}`));
  }
}

/** The experiment of a slug; undefined: there is none. */
export async function experimentOfSlug(
  client: LosslessClient,
  slug: string,
): Promise<ExperimentRecord | undefined> {
  try {
    return await client.experiment({ experimentSlug: slug });
  } catch (error) {
    if (hasCode(error, "experiment_not_found")) return undefined;
    throw error;
  }
}

/** A suggestion is no reason to fail otherwise than by the name. */
async function slugsOf(client: LosslessClient): Promise<string[]> {
  try {
    return experimentsBelow(await client.folders.tree(), []).map(({ slug }) => slug);
  } catch {
    return [];
  }
}
