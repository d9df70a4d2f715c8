import type { Reader, Transaction } from "../../../database/database.ts";
import { sealedKeyId, type Sealing } from "../../../ground/sealing.ts";
import { signOnSecretContext } from "./setting.ts";

/** Lists the ids of the master keys under which secrets of identity providers are sealed. */
export async function masterKeysOfSignOn(reader: Reader): Promise<string[]> {
  const rows = await reader.all<{ start: Uint8Array }>(
    "SELECT DISTINCT substr(sealed_secret, 1, 9) AS start FROM sign_on",
  );
  return rows.map(({ start }) => Buffer.from(start).subarray(1).toString("hex"));
}

/**
 * Seals the secrets under the newest master key; returns the number sealed anew. Throws SealBroken.
 */
export async function resealSignOn(transaction: Transaction, sealing: Sealing): Promise<number> {
  const rows = await transaction.all<{ organization: string; sealed: Uint8Array }>(
    `SELECT organization, sealed_secret AS sealed FROM sign_on ORDER BY organization${transaction.forUpdate}`,
  );
  let resealed = 0;
  for (const { organization, sealed } of rows) {
    if (sealedKeyId(sealed) === sealing.keyId) continue;
    const context = signOnSecretContext(organization);
    const again = sealing.seal(sealing.open(sealed, context), context);
    await transaction.run(
      "UPDATE sign_on SET sealed_secret = $2 WHERE organization = $1",
      organization,
      again,
    );
    resealed++;
  }
  return resealed;
}
