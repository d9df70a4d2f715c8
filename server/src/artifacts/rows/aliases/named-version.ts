import { aliasMark, latestVersion } from "@lossless/protocol/names";
import type { Reader } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import type { Artifact, ArtifactName } from "../artifact.ts";
import { aliasedVersion } from "./alias.ts";

/**
 * Returns the name of the version that is meant by its name, by `latest`, or by an alias with its
 * mark: `@best`. A version by its own name need not exist. An alias whose version is not there any
 * more is `not_found`, in words that say so: it never means another version.
 */
export async function versionNamed(
  reader: Reader,
  { organizationId, artifact: path }: ArtifactName,
  artifact: Pick<Artifact, "id" | "latest">,
  wanted: string,
): Promise<string> {
  const isAlias = wanted.startsWith(aliasMark);
  const alias = isAlias ? wanted.slice(aliasMark.length) : "";
  if (wanted === latestVersion || alias === latestVersion) {
    if (artifact.latest === null)
      throw new ServiceError("not_found", "The artifact has no versions.");
    return artifact.latest;
  }
  if (!isAlias) return wanted;
  const version = await aliasedVersion(reader, artifact.id, alias);
  if (version === null) {
    throw new ServiceError("not_found", `The artifact has no alias ${alias}.`);
  }
  const there = await reader.get(
    "SELECT 1 FROM version WHERE artifact = $1 AND name = $2",
    artifact.id,
    version,
  );
  if (there !== undefined) return version;
  const trashed = await reader.get(
    `SELECT 1 FROM trash WHERE organization = $1 AND kind = 'version' AND name = $2 AND version = $3
       AND is_purging = 0`,
    organizationId,
    path,
    version,
  );
  const state = trashed === undefined ? "was deleted" : "is in the trash";
  const advice = trashed === undefined ? "Move the alias" : "Restore it, or move the alias";
  throw new ServiceError(
    "not_found",
    `The alias ${alias} points to version ${version}, which ${state}. ${advice}.`,
  );
}
