import type { Reader } from "../../database/database.ts";
import { readPlaces, type Table } from "./table-search.ts";

/** A limit above the size of any table. */
const rowsMax = 2 ** 31;

/**
 * Reads all ids that a table finds, in its order, at once: each page would repeat the whole search.
 */
export async function readIds(reader: Reader, { search, parts }: Table): Promise<string[]> {
  const found: string[][] = [];
  for (const part of parts) {
    const { ids } = await readPlaces(reader, search, part, {}, rowsMax);
    found.push(ids);
  }
  return found.flat();
}
