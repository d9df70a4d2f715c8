import type { Reader, Transaction } from "../../../database/database.ts";
import { sealedKeyId, type Sealing } from "../../../ground/sealing.ts";
import { locationSecretContext } from "./location.ts";

/** Ids of the master keys under which secrets of stores are sealed. */
export async function sealingMasterKeys(reader: Reader): Promise<string[]> {
  // The beginning says it: the secrets themselves stay where they are.
  const rows = await reader.all<{ start: Uint8Array }>(
    "SELECT DISTINCT substr(sealed_secret, 1, 9) AS start FROM location WHERE sealed_secret IS NOT NULL",
  );
  return rows.map(({ start }) => Buffer.from(start).subarray(1).toString("hex")).sort();
}

/**
 * Seals every secret again that is not sealed under the newest master key; returns their number.
 * Throws SealBroken, and then the transaction must not be committed.
 */
export async function resealSecrets(transaction: Transaction, sealing: Sealing): Promise<number> {
  const rows = await transaction.all<{ id: string; organizationId: string; sealed: Uint8Array }>(
    `SELECT id, organization AS "organizationId", sealed_secret AS sealed FROM location
     WHERE sealed_secret IS NOT NULL ORDER BY id${transaction.forUpdate}`,
  );
  let resealed = 0;
  for (const { sealed, ...location } of rows) {
    if (sealedKeyId(sealed) === sealing.keyId) continue;
    const context = locationSecretContext(location);
    const secret = sealing.seal(sealing.open(sealed, context), context);
    await transaction.run(
      "UPDATE location SET sealed_secret = $2 WHERE id = $1",
      location.id,
      secret,
    );
    resealed++;
  }
  return resealed;
}
