import type { FoldersReply } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import { addArray, type ReplyText } from "../../ground/reply-text.ts";

/** `views/folders`: the organization's folders, and how many experiments are in them. */
export async function readFolders(
  reader: Reader,
  { organizationId }: { organizationId: string },
  text: ReplyText,
): Promise<void> {
  const rows = await reader.all<{ id: string; parent: string | null; name: string }>(
    "SELECT id, parent, name FROM folder WHERE organization = $1 ORDER BY name, id",
    organizationId,
  );
  const counts = await reader.all<{ folder: string | null; experiments: number }>(
    `SELECT folder, count(*) AS experiments FROM experiment
     WHERE organization = $1 AND trashed_at_ms IS NULL AND ${reader.inTime("experiment")}
     GROUP BY folder`,
    organizationId,
  );
  const own = new Map(counts.map(({ folder, experiments }) => [folder, experiments]));
  const parents = new Map(rows.map(({ id, parent }) => [id, parent]));
  const below = new Map<string, number>();
  for (const [folder, experiments] of own) {
    for (let id = folder; id !== null; id = parents.get(id) ?? null)
      below.set(id, (below.get(id) ?? 0) + experiments);
  }
  await text.add('{"folders":');
  await addArray(text, rows, ({ id, parent, name }) =>
    JSON.stringify({
      folderId: id,
      parentFolderId: parent,
      name,
      experiments: own.get(id) ?? 0,
      experimentsBelow: below.get(id) ?? 0,
    } satisfies FoldersReply["folders"][number]),
  );
  const experiments = counts.reduce((sum, one) => sum + one.experiments, 0);
  const total = { experiments, experimentsAtRoot: own.get(null) ?? 0 };
  await text.add(`,${JSON.stringify(total).slice(1)}`);
}
