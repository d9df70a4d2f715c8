import type { ExperimentNode, FolderNode, FolderTree } from "@lossless/client";

export interface Row extends ExperimentNode {
  folderId: string | null;
  /** Names from the root, with slashes. */
  folder: string;
}

export interface FolderLine {
  folderId: string;
  name: string;
  depth: number;
  /** Experiments in it and below. */
  count: number;
}

export type SortKey = "slug" | "status" | "created" | "updated" | "folder";

/** Every experiment of the organization with its folder. */
export function rowsOf({ experiments, folders }: FolderTree): Row[] {
  const rows: Row[] = experiments.map((one) => ({ ...one, folderId: null, folder: "" }));
  const walk = (folder: FolderNode, above: string): void => {
    const path = above === "" ? folder.name : `${above}/${folder.name}`;
    for (const one of folder.experiments) {
      rows.push({ ...one, folderId: folder.folderId, folder: path });
    }
    for (const below of folder.folders) walk(below, path);
  };
  for (const folder of folders) walk(folder, "");
  return rows;
}

/** The folders in the order of a tree, each with its depth. */
export function foldersOf({ folders }: FolderTree): FolderLine[] {
  const lines: FolderLine[] = [];
  const walk = (folder: FolderNode, depth: number): number => {
    const line = { folderId: folder.folderId, name: folder.name, depth, count: 0 };
    lines.push(line);
    line.count = folder.experiments.length;
    for (const below of folder.folders) line.count += walk(below, depth + 1);
    return line.count;
  };
  for (const folder of folders) walk(folder, 0);
  return lines;
}

/** The folder and all folders below it. */
export function foldersBelow({ folders }: FolderTree, folderId: string): Set<string> {
  const found = new Set<string>();
  const walk = (folder: FolderNode, isInside: boolean): void => {
    const isWanted = isInside || folder.folderId === folderId;
    if (isWanted) found.add(folder.folderId);
    for (const below of folder.folders) walk(below, isWanted);
  };
  for (const folder of folders) walk(folder, false);
  return found;
}

export interface Selection {
  /** Undefined: everywhere. */
  folders: ReadonlySet<string> | undefined;
  status: string | undefined;
  /** Words that slug, folder or description must contain, whatever their case. */
  text: string;
  sort: SortKey;
  isDescending: boolean;
}

export function selected(rows: readonly Row[], selection: Selection): Row[] {
  const { folders, status, sort, isDescending } = selection;
  const words = selection.text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter((row) => {
    if (folders !== undefined && (row.folderId === null || !folders.has(row.folderId)))
      return false;
    if (status !== undefined && row.status !== status) return false;
    const text = `${row.slug}\n${row.folder}\n${row.description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const order = orders[sort];
  const direction = isDescending ? -1 : 1;
  return found.sort((left, right) => direction * order(left, right) || bySlug(left, right));
}

type Order = (left: Row, right: Row) => number;

const bySlug: Order = (left, right) => compare(left.slug, right.slug);

const orders: Record<SortKey, Order> = {
  slug: bySlug,
  status: (left, right) => compare(left.status, right.status),
  folder: (left, right) => compare(left.folder, right.folder),
  created: (left, right) => left.createdAtMs - right.createdAtMs,
  updated: (left, right) => left.updatedAtMs - right.updatedAtMs,
};

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
