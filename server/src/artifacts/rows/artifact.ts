import type { Reader, Transaction } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import { rowBytes, textBytes } from "../../database/quotas/amounts.ts";
import type { Counting } from "../../database/quotas/ledger.ts";
import type { Upload } from "./upload.ts";

/**
 * An artifact's organization and path; the same path in another organization is another artifact.
 */
export interface ArtifactName {
  organizationId: string;
  artifact: string;
}

export interface Artifact {
  id: string;
  /** The fencing token of the newest writer, 0 before the first. Never goes back (A7). */
  epoch: number;
  /** Name of the highest version. */
  latest: string | null;
  /**
   * Highest name among all versions ever committed: names of deleted versions are not given again.
   */
  highest: string | null;
}

/**
 * Finds an artifact. With `lock`, no other transaction opens it, begins or commits until this one
 * ends.
 */
export async function findArtifact(
  reader: Reader,
  { organizationId, artifact }: ArtifactName,
  { lock = false }: { lock?: boolean } = {},
): Promise<Artifact | undefined> {
  return reader.get<Artifact>(
    `SELECT id, epoch, latest, highest FROM artifact WHERE organization = $1 AND path = $2${lock ? reader.forUpdate : ""}`,
    organizationId,
    artifact,
  );
}

/** Returns the artifact, locked; makes a missing one (A33: artifacts are implicit). */
export async function lockOrMakeArtifact(
  transaction: Transaction,
  name: ArtifactName,
  { nowMs, ledger }: Counting,
): Promise<Artifact> {
  const found = await findArtifact(transaction, name, { lock: true });
  if (found !== undefined) return found;
  // Another node may insert the same row at this moment: then ours waits for it and does nothing.
  const inserted = await transaction.run(
    `INSERT INTO artifact (id, organization, path, epoch, versions, bytes) VALUES ($1, $2, $3, 0, 0, 0)
     ON CONFLICT (organization, path) DO NOTHING`,
    newId(nowMs),
    name.organizationId,
    name.artifact,
  );
  if (inserted > 0) {
    await ledger.charge(name.organizationId, { bytes: rowBytes + textBytes(name.artifact) });
  }
  const made = await findArtifact(transaction, name, { lock: true });
  if (made === undefined) throw new Error("BUG: an artifact is there and is not");
  return made;
}

/**
 * Returns why a writer may not go on, in the order of A10: superseded first, since that writer has
 * to stop. `upload` is undefined before there is one.
 */
export function writerProblem(
  artifact: Pick<Artifact, "epoch" | "highest"> | undefined,
  { epoch, version }: Pick<Upload, "epoch" | "version">,
): ServiceError | undefined {
  const current = artifact?.epoch ?? 0;
  if (epoch !== current || current === 0) return superseded(current);
  const highest = artifact?.highest ?? null;
  return highest !== null && version <= highest ? notAfterLatest(version, highest) : undefined;
}

export function superseded(currentEpoch: number): ServiceError {
  const message =
    currentEpoch === 0
      ? "The artifact was never opened: open it, and write with the epoch of the reply."
      : `The artifact is at epoch ${currentEpoch}: another writer has opened it, and this one must stop.`;
  return new ServiceError("superseded", message, { epoch: currentEpoch });
}

function notAfterLatest(version: string, latest: string): ServiceError {
  return new ServiceError(
    "not_after_latest",
    `The version ${version} is not above the latest, ${latest}. Versions are ordered by name, bytewise: zero-pad numbers.`,
  );
}

export function uploadNotFound(): ServiceError {
  return new ServiceError(
    "not_found",
    "The artifact has no such upload: it is unknown, has expired, or was abandoned. Begin again.",
  );
}
