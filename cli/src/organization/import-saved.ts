import { hasCode, type LosslessClient, LosslessError } from "@lossless/client";
import type { Manifest } from "./layout.ts";
import { importPictures } from "./report-pictures.ts";

interface SavedImport {
  savedViews: number;
  reports: number;
  workspaces: number;
  problems: string[];
}

/**
 * Imports saved views, reports and workspaces, with ids of experiments and folders replaced by
 * those here.
 */
export async function importSaved(
  client: LosslessClient,
  directory: string,
  { savedViews, reports, workspaces = [] }: Manifest,
  ids: ReadonlyMap<string, string>,
): Promise<SavedImport> {
  const result: SavedImport = { savedViews: 0, reports: 0, workspaces: 0, problems: [] };
  const put = async (
    what: "savedViews" | "reports" | "workspaces",
    create: () => Promise<unknown>,
  ) => {
    try {
      await create();
      result[what]++;
    } catch (error) {
      // The name or place is taken by an earlier import, or by an item that stays.
      if (hasCode(error, "conflict")) return;
      if (!(error instanceof LosslessError)) throw error;
      const noPerson =
        "saved views, reports and workspaces of charts are left out, because they belong to a person: run lossless login, and import again";
      const problem = hasCode(error, "forbidden") ? noPerson : error.message;
      if (!result.problems.includes(problem)) result.problems.push(problem);
    }
  };
  for (const { name, scope, address } of savedViews)
    await put("savedViews", () =>
      client.savedViews.create({ name, scope, address: withIds(address, ids) }),
    );
  for (const { name, scope, blocks } of reports) {
    const own = JSON.parse(withIds(JSON.stringify(blocks), ids)) as typeof blocks;
    await put("reports", () => client.reports.create({ name, scope, blocks: own }));
    const problem = await importPictures(client, directory, { name, scope, blocks: own });
    if (problem !== undefined && !result.problems.includes(problem)) result.problems.push(problem);
  }
  for (const { scope, folderId, layout } of workspaces) {
    const folder = folderId === null ? {} : { folderId: ids.get(folderId) ?? folderId };
    // One that stands there already stays.
    await put("workspaces", () =>
      client.workspaces.save({ scope, ...folder, revision: 0, layout }),
    );
  }
  return result;
}

/** Ids consist of letters, digits, - and _, which neither addresses nor JSON escape. */
function withIds(text: string, ids: ReadonlyMap<string, string>): string {
  return text.replaceAll(/[0-9A-Za-z_-]{16,}/g, (word) => ids.get(word) ?? word);
}
