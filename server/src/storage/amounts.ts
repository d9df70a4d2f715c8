import type { Reader } from "../database/database.ts";
import type { Moment } from "../ground/clock.ts";
import { countTrash, type TrashAmount } from "../trash/amount.ts";
import { type LastBackup, readLastBackup } from "./last-backup.ts";

export interface Amounts {
  trash: TrashAmount;
  lastBackup: LastBackup | null;
}

/** `installation.amounts`: the amounts in the database for the operator's figures. */
export async function readAmounts(
  reader: Reader,
  _input: unknown,
  moment: Moment,
): Promise<Amounts> {
  const trash = await countTrash(reader, moment);
  return { trash, lastBackup: await readLastBackup(reader) };
}
