import type { ExperimentNode } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import { pages } from "../../ground/pages.ts";
import { ServiceError } from "../../ground/errors.ts";
import { addArray, type ReplyText } from "../../ground/reply-text.ts";

/** `foldertree.read`: the organization's folders and experiments, bytewise by name/slug (M23). */
export async function readFolderTree(
  reader: Reader,
  { organizationId }: { organizationId: string },
  text: ReplyText,
): Promise<void> {
  const folders = await reader.all<FolderRow>(
    "SELECT id, name, parent FROM folder WHERE organization = $1 ORDER BY name",
    organizationId,
  );
  const root: Content = { folders: [], experiments: [] };
  const nodes = new Map<string, Folder>(
    folders.map((row) => [row.id, { row, folders: [], experiments: [] }]),
  );
  const contentOf = (folderId: string | null): Content => {
    const node = folderId === null ? root : nodes.get(folderId);
    if (node === undefined) throw new Error(`BUG: folder ${folderId} is not in the tree`);
    return node;
  };
  for (const node of nodes.values()) contentOf(node.row.parent).folders.push(node);
  await requireFew(reader, organizationId);
  let sizeBytes = 0;
  for await (const rows of readExperiments(reader, organizationId)) {
    for (const row of rows) {
      const printed = experimentText(row);
      text.require((sizeBytes += Buffer.byteLength(printed)));
      contentOf(row.folder).experiments.push(printed);
    }
  }
  await text.add("{");
  await addContent(text, root);
  await text.add("}");
}

/** Experiments are printed already. */
interface Content {
  folders: Folder[];
  experiments: string[];
}

interface Folder extends Content {
  row: FolderRow;
}

interface FolderRow {
  id: string;
  name: string;
  parent: string | null;
}

/** Calls itself as deep as folders may be: 32. */
async function addContent(text: ReplyText, { folders, experiments }: Content): Promise<void> {
  await text.add('"folders":[');
  let separator = "";
  for (const folder of folders) {
    const { id: folderId, name, parent: parentFolderId } = folder.row;
    const head = JSON.stringify({ folderId, name, parentFolderId });
    await text.add(`${separator}${head.slice(0, -1)},`);
    await addContent(text, folder);
    await text.add("}");
    separator = ",";
  }
  await text.add('],"experiments":');
  await addArray(text, experiments, (experiment) => experiment);
}

async function requireFew(reader: Reader, organizationId: string): Promise<void> {
  const count = await reader.get<{ experiments: number }>(
    "SELECT count(*) AS experiments FROM experiment WHERE organization = $1 AND trashed_at_ms IS NULL",
    organizationId,
  );
  if ((count?.experiments ?? 0) <= limits.treeExperimentsMax) return;
  throw new ServiceError(
    "result_too_large",
    `The organization has more than ${limits.treeExperimentsMax} experiments.`,
    { maximum: limits.treeExperimentsMax },
  );
}

const rowsPerPageMax = 500;

interface ExperimentRow extends Omit<ExperimentNode, "experimentId"> {
  id: string;
  folder: string | null;
}

function experimentText(row: ExperimentRow): string {
  const { id: experimentId, slug, description, status, createdAtMs, updatedAtMs } = row;
  const node: ExperimentNode = {
    experimentId,
    slug,
    description,
    status,
    createdAtMs,
    updatedAtMs,
  };
  return JSON.stringify(node);
}

function readExperiments(reader: Reader, organizationId: string): AsyncGenerator<ExperimentRow[]> {
  let above = "";
  const read = async (limit: number): Promise<ExperimentRow[]> => {
    const rows = await reader.all<ExperimentRow>(
      `SELECT id, slug, description, status, created_at_ms AS "createdAtMs",
         updated_at_ms AS "updatedAtMs", folder
       FROM experiment WHERE organization = $1 AND trashed_at_ms IS NULL AND slug > $2
       ORDER BY slug LIMIT $3`,
      organizationId,
      above,
      limit,
    );
    above = rows.at(-1)?.slug ?? above;
    return rows;
  };
  return pages(rowsPerPageMax, read, ({ slug, description }) => slug.length + description.length);
}
