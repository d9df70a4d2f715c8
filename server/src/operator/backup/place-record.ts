import { ObjectMissing } from "../../buckets/bucket.ts";
import { ConfigError } from "../../settings/options.ts";
import { BackupDamaged } from "./backup-damaged.ts";
import { type Envelope, plainEnvelope, sealedEnvelope } from "./envelope.ts";
import { otherThings, type BackupPlace, placeRecordName } from "./place.ts";

/** The readable record of a place. */
interface PlaceRecord {
  format: 1;
  /** The installation whose backups are here: `installationName`. */
  installation: string;
  /** Id of the key under which they are, or null. */
  keyId: string | null;
}

/**
 * Returns the envelope of a place that has backups. Throws ConfigError, also for a missing or wrong
 * key.
 */
export async function envelopeOf(
  place: BackupPlace,
  backupKey: Uint8Array | undefined,
): Promise<Envelope> {
  const record = await readRecord(place);
  if (record === undefined) throw new ConfigError(`There are no backups in ${place.address}.`);
  return checkedEnvelope(place, record, backupKey);
}

/**
 * Claims a place for a backup of an installation. An empty one becomes that installation's,
 * encrypted for ever or never. Throws ConfigError.
 */
export async function claimPlace(
  place: BackupPlace,
  backupKey: Uint8Array | undefined,
  installation: string,
): Promise<Envelope> {
  const record = await readRecord(place);
  if (record === undefined) {
    if (!(await place.isEmpty())) throw otherThings(place.address);
    const envelope = backupKey === undefined ? plainEnvelope() : sealedEnvelope(backupKey);
    const made: PlaceRecord = { format: 1, installation, keyId: envelope.keyId };
    await place.bucket.put(placeRecordName, [Buffer.from(`${JSON.stringify(made)}\n`)]);
    return envelope;
  }
  if (record.installation !== installation) {
    throw new ConfigError(
      `${place.address} has the backups of another installation: each installation needs its own place.`,
    );
  }
  return checkedEnvelope(place, record, backupKey);
}

function checkedEnvelope(
  { address }: BackupPlace,
  { keyId }: PlaceRecord,
  backupKey: Uint8Array | undefined,
): Envelope {
  if (keyId === null) {
    if (backupKey === undefined) return plainEnvelope();
    throw new ConfigError(
      `The backups in ${address} are not encrypted: leave out --backup-key-file, or name another place.`,
    );
  }
  if (backupKey === undefined) {
    throw new ConfigError(
      `The backups in ${address} are encrypted: name the key with the id ${keyId} with --backup-key-file.`,
    );
  }
  const envelope = sealedEnvelope(backupKey);
  if (envelope.keyId === keyId) return envelope;
  throw new ConfigError(
    `The backups in ${address} are encrypted under the key with the id ${keyId}; that of --backup-key-file has ` +
      `the id ${envelope.keyId}.`,
  );
}

async function readRecord({ address, bucket }: BackupPlace): Promise<PlaceRecord | undefined> {
  let text: string;
  try {
    text = new TextDecoder().decode(
      await bucket.read(placeRecordName, 0, await bucket.size(placeRecordName)),
    );
  } catch (error) {
    if (error instanceof ObjectMissing) return undefined;
    throw error;
  }
  const record = parsed(text);
  if (record === undefined)
    throw new BackupDamaged(`The object ${placeRecordName} in ${address} is damaged.`);
  if (record.format === 1) return record;
  throw new ConfigError(`The backups in ${address} were made by a newer version of Lossless.`);
}

function parsed(text: string): PlaceRecord | undefined {
  try {
    const record = JSON.parse(text) as Partial<PlaceRecord>;
    const isWhole = typeof record.installation === "string" && record.keyId !== undefined;
    return isWhole || (record.format ?? 1) !== 1 ? (record as PlaceRecord) : undefined;
  } catch {
    return undefined;
  }
}
