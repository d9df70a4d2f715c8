import { type Dirent, existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Message } from "../mlflow-server.ts";

/** Paths of the files below a directory, sorted; none if it does not exist. */
export async function filesAt(directory: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await entriesOf(directory)) {
    if (entry.isDirectory())
      for (const inner of await filesAt(join(directory, entry.name)))
        found.push(`${entry.name}/${inner}`);
    else if (entry.isFile()) found.push(entry.name);
  }
  return found;
}

/** The files and directories in a directory, as MLflow lists those of a run. */
export async function listedFiles(directory: string, path: string): Promise<Message[]> {
  const found: Message[] = [];
  for (const entry of await entriesOf(join(directory, path))) {
    const name = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) found.push({ path: name, is_dir: true });
    else if (entry.isFile())
      found.push({
        path: name,
        is_dir: false,
        file_size: (await stat(join(directory, name))).size,
      });
  }
  return found;
}

/** The directory that an address of MLflow means on this machine; undefined if it is elsewhere. */
export function directoryOf(uri: string): string | undefined {
  if (uri.startsWith("file://")) return fileURLToPath(new URL(uri));
  if (uri.startsWith("file:")) return uri.slice("file:".length);
  return uri === "" || /^[a-z][a-z0-9+.-]*:/i.test(uri) ? undefined : uri;
}

/** The place of a store, below which relative addresses of files are. */
export interface StorePlace {
  directory: string;
  /** Whether the files of the store's own runs are there, where they are on this machine. */
  isBesideFiles: boolean;
}

/**
 * The directory of a run's files: where MLflow says, below the place of the store after it was
 * moved, or where its server keeps files that it serves. Undefined if they are elsewhere.
 */
export function filesOf(uri: string, { directory: base, isBesideFiles }: StorePlace) {
  const served = /^mlflow-artifacts:(?:\/\/[^/]*)?\/(.*)$/.exec(uri)?.[1];
  const named = directoryOf(uri);
  const direct = named === undefined || isAbsolute(named) ? named : join(base, named);
  const tail = served ?? /(?:^|[/\\])(?:mlruns|mlartifacts)[/\\](.*)$/.exec(named ?? "")?.[1];
  const moved =
    tail === undefined ? [] : ["mlruns", "mlartifacts"].map((root) => join(base, root, tail));
  const found = [...(direct === undefined ? [] : [direct]), ...moved];
  const own = found.find((place) => existsSync(place));
  if (own !== undefined) return own;
  // A run without files has no directory of its own; that of its experiment is there. Elsewhere one
  // of another installation may have the same number.
  const certain = isBesideFiles ? found : direct !== undefined && direct === named ? [direct] : [];
  return certain.find((place) => existsSync(dirname(dirname(place))));
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
