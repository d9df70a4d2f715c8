import type { Transaction } from "../../../database/database.ts";
import type { Moment } from "../../../ground/clock.ts";
import { touchHead } from "../../../experiments/head.ts";
import { removeLoggedFiles } from "../../../experiments/logged/index-logged.ts";
import { below } from "./below.ts";
import { leaveFiles, type LeftFile, replacedKeptMs } from "./leave.ts";
import { type FileOwner, isModel, requireOwner } from "./owner.ts";

const filesPerStep = 500;

/**
 * `file.delete`: the file of this path and all below it, or all of the owner (the path is empty);
 * some of them, and whether there may be more. There may be none, as with MLflow's server.
 */
export async function deleteFiles(
  transaction: Transaction,
  { path, ...whose }: FileOwner & { path: string },
  { nowMs }: Moment,
): Promise<{ isDone: boolean }> {
  await requireOwner(transaction, whose);
  const { owner } = whose;
  const { from, to } = below(path);
  const some =
    path === ""
      ? await removeSome(transaction, owner, "path >= $2", [""])
      : await removeSome(transaction, owner, "(path = $2 OR (path >= $3 AND path < $4))", [
          path,
          from,
          to,
        ]);
  await leaveFiles(transaction, some, nowMs + replacedKeptMs);
  if (!isModel(owner) && some.length > 0) {
    await touchHead(transaction, owner);
    const paths = some.map((file) => file.path);
    await removeLoggedFiles(transaction, owner, paths);
  }
  return { isDone: some.length < filesPerStep };
}

/**
 * Removes the next batch of files of a purged owner; returns 0 when none is left. Addresses given
 * before a deletion stay valid until an hour after it.
 */
export async function forgetFiles(
  transaction: Transaction,
  { owner, trashedAtMs }: FileOwner & { trashedAtMs: number },
  { nowMs }: Moment,
): Promise<number> {
  const some = await removeSome(transaction, owner, "path >= $2", [""]);
  await leaveFiles(transaction, some, Math.max(nowMs, trashedAtMs + replacedKeptMs));
  return some.length;
}

async function removeSome(
  transaction: Transaction,
  owner: string,
  which: string,
  values: readonly string[],
): Promise<(LeftFile & { path: string })[]> {
  return transaction.all<LeftFile & { path: string }>(
    `DELETE FROM file WHERE owner = $1 AND path IN (
       SELECT path FROM file WHERE owner = $1 AND ${which} ORDER BY path LIMIT ${filesPerStep})
     RETURNING upload AS id, organization, location, key, bytes, path`,
    owner,
    ...values,
  );
}
