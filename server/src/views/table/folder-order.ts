import { setImmediate } from "node:timers/promises";
import type { Reader } from "../../database/database.ts";
import { hopeless, type PathPattern } from "../../ground/text-pattern.ts";

interface FolderRow {
  id: string;
  parent: string | null;
  name: string;
}

interface Folder {
  name: string;
  above: Folder | undefined;
  /** Folders right below, bytewise by name. */
  below: Folder[];
  position: number;
  /** Position of the last folder below, or its own. */
  lastPosition: number;
}

/** Characters compared between two turns of the event loop: some milliseconds. */
const charactersPerTurn = 500_000;

/**
 * An organization's folders in the order of a table: each before those below it, bytewise by name.
 * A path exists only while it is looked at: those of 100,000 folders can be gigabytes.
 */
export class FolderOrder {
  /** Ids by position. */
  readonly ids: string[] = [];
  readonly #folders: Folder[] = [];
  readonly #roots: Folder[];
  readonly #byId: Map<string, Folder>;

  /** Rows are in the order of the names, and complete upwards. */
  constructor(rows: readonly FolderRow[]) {
    const byId = new Map<string, Folder>(
      rows.map(({ id, name }) => [
        id,
        { name, above: undefined, below: [], position: 0, lastPosition: 0 },
      ]),
    );
    this.#byId = byId;
    for (const { id, parent } of rows) {
      const folder = byId.get(id)!;
      folder.above = parent === null ? undefined : byId.get(parent);
      folder.above?.below.push(folder);
    }
    this.#roots = [...byId.values()].filter(({ above }) => above === undefined);
    for (const root of this.#roots) this.#place(root);
    for (const [id, { position }] of byId) this.ids[position] = id;
  }

  pathOf(id: string): string {
    return namesOf(this.#byId.get(id)).join("/");
  }

  /**
   * Returns 1 at the positions of the folders whose paths fit, else 0. With `isBelow` folders below
   * them fit, too. The event loop runs in between: names of 100,000 folders can be 20 million
   * characters.
   */
  async fitting(pattern: PathPattern, isBelow: boolean): Promise<Uint8Array> {
    const fitting = new Uint8Array(this.#folders.length);
    const states = new Int32Array(this.#folders.length);
    let read = 0;
    for (let at = 0; at < fitting.length;) {
      const { name, above, lastPosition } = this.#folders[at];
      const path = above === undefined ? 0 : pattern.after(states[above.position], "/");
      const state = pattern.after(path, name);
      states[at] = state;
      const fits = pattern.fits(state);
      if (fits) fitting.fill(1, at, isBelow ? lastPosition + 1 : at + 1);
      at = state === hopeless || (fits && isBelow) ? lastPosition + 1 : at + 1;
      read += name.length;
      if (read < charactersPerTurn) continue;
      read = 0;
      await setImmediate();
    }
    return fitting;
  }

  /**
   * Returns a lasting form of a position, while folders come and go: the names, from the root on.
   */
  write(position: number): string {
    return JSON.stringify(namesOf(this.#folders[position]));
  }

  /**
   * Returns the position of the folder with these names, or the one between two at which it would
   * be.
   */
  read(text: string): number | undefined {
    const names = parsed(text);
    const isPath = Array.isArray(names) && names.every((name) => typeof name === "string");
    return isPath ? this.#positionOf(names) : undefined;
  }

  #positionOf(names: readonly string[]): number {
    let beside: readonly Folder[] = this.#roots;
    let before = -0.5;
    let position = before;
    for (const name of names) {
      const found = beside.find((folder) => folder.name === name);
      const last = beside.findLast((folder) => isBefore(folder.name, name));
      if (found === undefined) return last === undefined ? before : last.lastPosition + 0.5;
      position = found.position;
      before = position + 0.5;
      beside = found.below;
    }
    return position;
  }

  /** Places a folder and those below; recursion is as deep as folders may be: 32. */
  #place(folder: Folder): void {
    folder.position = this.#folders.push(folder) - 1;
    for (const each of folder.below) this.#place(each);
    folder.lastPosition = this.#folders.length - 1;
  }
}

/** All folders of an organization. */
export async function readFolderOrder(
  reader: Reader,
  organizationId: string,
): Promise<FolderOrder> {
  const rows = await reader.all<FolderRow>(
    "SELECT id, parent, name FROM folder WHERE organization = $1 ORDER BY name, id",
    organizationId,
  );
  return new FolderOrder(rows);
}

/** Reads some folders, and those that contain them. */
export async function readFoldersAbove(
  reader: Reader,
  organizationId: string,
  ids: readonly string[],
): Promise<FolderOrder> {
  const rows = await reader.all<FolderRow>(
    `WITH RECURSIVE above (id, parent, name) AS (
       SELECT id, parent, name FROM folder
       WHERE organization = $1 AND ${reader.isOneOf("id", "$2")}
       UNION SELECT folder.id, folder.parent, folder.name
       FROM above JOIN folder ON folder.id = above.parent)
     SELECT id, parent, name FROM above ORDER BY name, id`,
    organizationId,
    JSON.stringify(ids),
  );
  return new FolderOrder(rows);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function namesOf(folder: Folder | undefined): string[] {
  const names: string[] = [];
  for (let each = folder; each !== undefined; each = each.above) names.unshift(each.name);
  return names;
}

function isBefore(left: string, right: string): boolean {
  return Buffer.compare(Buffer.from(left), Buffer.from(right)) < 0;
}
