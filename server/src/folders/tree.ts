import type { ExperimentNode, FolderNode, FolderTree } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../database/database.ts";
import { ServiceError } from "../errors.ts";

/** `foldertree.read`: every folder and experiment of the organization, by name and slug, bytewise (M23). */
export async function readFolderTree(
  reader: Reader,
  { organizationId }: { organizationId: string },
): Promise<FolderTree> {
  const experiments = await readExperiments(reader, organizationId);
  const folders = await reader.all<FolderRow>(
    "SELECT id, name, parent FROM folder WHERE organization = $1 ORDER BY name",
    organizationId,
  );
  const tree: FolderTree = { folders: [], experiments: [] };
  const nodes = new Map<string, FolderNode>(
    folders.map(({ id, name, parent }) => [
      id,
      { folderId: id, name, parentFolderId: parent, folders: [], experiments: [] },
    ]),
  );
  const place = (folderId: string | null) => {
    const node = folderId === null ? tree : nodes.get(folderId);
    if (node === undefined) throw new Error(`BUG: folder ${folderId} is not in the tree`);
    return node;
  };
  for (const node of nodes.values()) place(node.parentFolderId).folders.push(node);
  for (const { folder, ...experiment } of experiments) place(folder).experiments.push(experiment);
  return tree;
}

interface FolderRow {
  id: string;
  name: string;
  parent: string | null;
}

async function readExperiments(
  reader: Reader,
  organizationId: string,
): Promise<(ExperimentNode & { folder: string | null })[]> {
  const count = await reader.get<{ experiments: number }>(
    "SELECT count(*) AS experiments FROM experiment WHERE organization = $1",
    organizationId,
  );
  if ((count?.experiments ?? 0) > limits.treeExperimentsMax) {
    throw new ServiceError(
      "result_too_large",
      `The organization has more than ${limits.treeExperimentsMax} experiments.`,
      { maximum: limits.treeExperimentsMax },
    );
  }
  const rows = await reader.all<ExperimentNode & { folder: string | null }>(
    `SELECT id AS "experimentId", slug, description, status, created_at_ms AS "createdAtMs",
       updated_at_ms AS "updatedAtMs", folder
     FROM experiment WHERE organization = $1 ORDER BY slug`,
    organizationId,
  );
  return rows;
}
