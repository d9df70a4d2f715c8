import type { Reader, Transaction } from "../database/database.ts";
import { masterKeysOfKeys, resealKeys } from "../issuer/keys/secrets.ts";
import { resealSecrets, sealingMasterKeys } from "../locations/secrets.ts";
import type { Sealing } from "../ground/sealing.ts";

/** `masterKey.inUse` gives ids of the master keys sealing anything; more than one means damage. */
export async function masterKeysInUse(
  reader: Reader,
  _input: Record<string, never>,
): Promise<string[]> {
  const ids = [...(await sealingMasterKeys(reader)), ...(await masterKeysOfKeys(reader))];
  return [...new Set(ids)].sort();
}

/**
 * Seals everything again that is not sealed under the newest master key: secrets of stores, and the
 * issuer's private keys. Gives how many. Throws SealBroken, and then nothing may be committed.
 */
export async function resealEverything(
  transaction: Transaction,
  sealing: Sealing,
): Promise<number> {
  return (await resealSecrets(transaction, sealing)) + (await resealKeys(transaction, sealing));
}
