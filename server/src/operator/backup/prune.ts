import type { Envelope } from "./envelope.ts";
import {
  filesOf,
  generationIds,
  readGeneration,
  removeGeneration,
  takenAtMsOf,
} from "./generation.ts";
import { Pieces } from "./pieces.ts";
import type { BackupPlace } from "./place.ts";

export interface Keeping {
  /** Number of newest backups to keep, whatever their age. At least 1. */
  count: number;
  /** Age in milliseconds below which backups are kept, too. */
  ageMs: number;
}

export interface Pruned {
  removed: string[];
  pieces: number;
  bytes: number;
}

/**
 * Removes generations that are neither among the newest nor young, and the pieces that no other one
 * names. It reads the lists of all that stay first, and throws BackupDamaged if it cannot: then
 * nothing is removed.
 */
export async function prune(
  place: BackupPlace,
  envelope: Envelope,
  { count, ageMs }: Keeping,
): Promise<Pruned> {
  const { bucket } = place;
  const ids = await generationIds(bucket);
  const nowMs = Date.now();
  const isKept = (id: string, index: number) =>
    ids.length - index <= count || nowMs - takenAtMsOf(id) < ageMs;
  const removed = ids.filter((id, index) => !isKept(id, index));
  const pieces = new Pieces(bucket, envelope);
  const kept = new Set<string>();
  for (const id of ids.filter(isKept)) {
    const generation = await readGeneration(bucket, envelope, id);
    for (const name of generation.list) kept.add(name);
    for await (const file of filesOf(generation, pieces)) {
      for (const name of file.pieces) kept.add(name);
    }
  }
  for (const id of removed) await removeGeneration(bucket, id);
  return { removed, ...(await pieces.removeOthers(kept, place.orphanAgeMs)) };
}
