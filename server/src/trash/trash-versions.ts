import type { TrashEntry } from "@lossless/protocol";
import { findArtifact } from "../artifacts/rows/artifact.ts";
import { withdrawVersion } from "../artifacts/rows/withdraw.ts";
import { audit } from "../database/audit/audit.ts";
import type { Transaction } from "../database/database.ts";
import { ServiceError } from "../ground/errors.ts";
import { newId } from "../ground/ids.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { entriesOf, entryColumns, type TrashRow } from "./entry.ts";
import { dayMs, keptDays } from "./setting.ts";
import type { Trashing } from "./trash-experiments.ts";

export interface TrashVersions extends Trashing {
  artifact: string;
  versions: string[];
}

/**
 * `trash.versions`: removes versions from every list and read; clients with addresses of their
 * files can still read these. The artifact keeps its epoch, and the names are not given again. A
 * version that is in the trash is left as it is. Throws `not_found` before anything is changed.
 */
export async function trashVersions(
  transaction: Transaction,
  { organizationId, artifact: path, versions, daysDefault, by, rule }: TrashVersions,
  context: Counting,
): Promise<{ entries: TrashEntry[] }> {
  const { nowMs } = context;
  const artifact = await findArtifact(
    transaction,
    { organizationId, artifact: path },
    { lock: true },
  );
  if (artifact === undefined) throw new ServiceError("not_found", "There is no such artifact.");
  const purgeAtMs = nowMs + dayMs * (await keptDays(transaction, organizationId, daysDefault));
  const names = [...new Set(versions)].sort();
  for (const name of names) {
    const version = await withdrawVersion(transaction, artifact, name);
    if (version === undefined) continue;
    await transaction.run(
      `INSERT INTO trash (id, organization, kind, subject, name, version, points, bytes, actor, trashed_at_ms,
         purge_at_ms, is_purging) VALUES ($1, $2, 'version', $3, $4, $5, 0, $6, $7, $8, $9, 0)`,
      newId(nowMs),
      organizationId,
      version.upload,
      path,
      name,
      version.bytes,
      by.actor,
      nowMs,
      purgeAtMs,
    );
    const ruled = rule === undefined ? {} : { rule };
    const details = { artifact: path, version: name, purgeAtMs, ...ruled };
    const entry = { ...by, organizationId, action: "version.trashed", subject: version.upload };
    await audit(transaction, { ...entry, details }, context);
  }
  const rows = await transaction.all<TrashRow>(
    `SELECT ${entryColumns} WHERE trash.organization = $1 AND trash.kind = 'version' AND trash.name = $2
       AND ${transaction.isOneOf("trash.version", "$3")} ORDER BY trash.id`,
    organizationId,
    path,
    JSON.stringify(names),
  );
  const there = new Set(rows.map(({ version }) => version));
  const missing = names.find((name) => !there.has(name));
  if (missing !== undefined) {
    throw new ServiceError("not_found", `The artifact has no version ${missing}.`);
  }
  return { entries: await entriesOf(transaction, organizationId, rows) };
}
