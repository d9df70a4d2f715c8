import type { Reader, Transaction } from "../database/database.ts";
import { masterKeysOfKeys, resealKeys } from "../places/rows/issuer/secrets.ts";
import { resealSecrets, sealingMasterKeys } from "../places/rows/locations/secrets.ts";
import { masterKeysOfSignOn, resealSignOn } from "../accounts/rows/sign-on/secrets.ts";
import type { Sealing } from "../ground/sealing.ts";

/** `masterKey.inUse` gives ids of the master keys sealing anything; more than one means damage. */
export async function masterKeysInUse(
  reader: Reader,
  _input: Record<string, never>,
): Promise<string[]> {
  const ids = [
    ...(await sealingMasterKeys(reader)),
    ...(await masterKeysOfKeys(reader)),
    ...(await masterKeysOfSignOn(reader)),
  ];
  return [...new Set(ids)].sort();
}

/**
 * Seals every secret again that is not sealed under the newest master key: secrets of stores, the
 * issuer's private keys, and secrets of identity providers. Returns their number. Throws
 * SealBroken, and then the transaction must not be committed.
 */
export async function resealEverything(
  transaction: Transaction,
  sealing: Sealing,
): Promise<number> {
  const ofStores = await resealSecrets(transaction, sealing);
  const ofIssuer = await resealKeys(transaction, sealing);
  return ofStores + ofIssuer + (await resealSignOn(transaction, sealing));
}
