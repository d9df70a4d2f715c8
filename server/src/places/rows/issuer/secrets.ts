import type { Reader, Transaction } from "../../../database/database.ts";
import { sealedKeyId, type Sealing } from "../../../ground/sealing.ts";
import { issuerKeyContext } from "./key.ts";

/** Ids of the master keys under which private keys are sealed. */
export async function masterKeysOfKeys(reader: Reader): Promise<string[]> {
  const rows = await reader.all<{ start: Uint8Array }>(
    "SELECT DISTINCT substr(sealed_key, 1, 9) AS start FROM issuer_key WHERE sealed_key IS NOT NULL",
  );
  return rows.map(({ start }) => Buffer.from(start).subarray(1).toString("hex"));
}

/**
 * Seals private keys under the newest master key; returns the number sealed anew. Throws
 * SealBroken.
 */
export async function resealKeys(transaction: Transaction, sealing: Sealing): Promise<number> {
  const rows = await transaction.all<{ id: string; sealed: Uint8Array }>(
    `SELECT id, sealed_key AS sealed FROM issuer_key
     WHERE sealed_key IS NOT NULL ORDER BY id${transaction.forUpdate}`,
  );
  let resealed = 0;
  for (const { id, sealed } of rows) {
    if (sealedKeyId(sealed) === sealing.keyId) continue;
    const context = issuerKeyContext(id);
    const again = sealing.seal(sealing.open(sealed, context), context);
    await transaction.run("UPDATE issuer_key SET sealed_key = $2 WHERE id = $1", id, again);
    resealed++;
  }
  return resealed;
}
