import { type LosslessClient, limits } from "@lossless/client";

/**
 * Names of experiments that differ from their slugs, by id, as set by MLflow's clients and
 * `init(name=…)`; of all experiments, or of those in and below a folder. Names of the last seconds
 * may be missing.
 */
export async function runNames(
  { views }: LosslessClient,
  folderId?: string,
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  let after: string | undefined;
  do {
    const { rows, next } = await views.experiments({
      query: "name",
      sort: [{ field: "id" }],
      limit: limits.tableRowsMax,
      ...(folderId !== undefined && { folderId }),
      ...(after !== undefined && { after }),
    });
    for (const { experimentId, slug, name } of rows)
      if (name !== null && name !== slug) names.set(experimentId, name);
    after = next;
  } while (after !== undefined);
  return names;
}
