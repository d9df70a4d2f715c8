import type { VersionLineage } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { versionNamed } from "../artifacts/rows/aliases/named-version.ts";
import { findArtifact } from "../artifacts/rows/artifact.ts";
import type { Reader } from "../database/database.ts";
import { isLineageBehind } from "../experiments/from-before.ts";
import { subjectOf } from "../experiments/lineage/subject.ts";
import { ServiceError } from "../ground/errors.ts";
import type { NodeId } from "./keys.ts";
import { readLinks } from "./links.ts";
import { readNodes } from "./nodes.ts";

export interface OfVersion {
  organizationId: string;
  artifact: string;
  /** A name, `latest`, or an alias with its mark. */
  version: string;
}

/**
 * `lineage.version`: the run that made a version, those that used it, and the registered models
 * that have it. A deleted version is found by its name.
 */
export async function readVersionLineage(reader: Reader, of: OfVersion): Promise<VersionLineage> {
  const { organizationId, artifact } = of;
  const named = { artifact, version: await meantVersion(reader, of) };
  const key = subjectOf(named);
  const id: NodeId = `version:${key}`;
  const node = (await readNodes(reader, organizationId, [id])).get(id)!;
  const asked = { organizationId, kind: "version", key } as const;
  const makers = await readLinks(reader, { ...asked, way: "up" });
  const users = await readLinks(reader, { ...asked, way: "down" });
  const isLinked = makers.links.length + users.links.length > 0;
  if (node.state === "unknown" && !isLinked) {
    throw new ServiceError("not_found", "The artifact has no such version.");
  }
  return {
    node,
    maker: makers.links[0] ?? null,
    users: users.links,
    usersLeftOut: users.leftOut,
    models: await readModels(reader, organizationId, named),
    isBehind: await isLineageBehind(reader, organizationId),
  };
}

/** Returns the name of the version that is meant. */
export async function meantVersion(reader: Reader, of: OfVersion): Promise<string> {
  const found = await findArtifact(reader, of);
  return versionNamed(reader, of, found ?? { id: "", latest: null }, of.version);
}

async function readModels(
  reader: Reader,
  organizationId: string,
  { artifact, version }: { artifact: string; version: string },
): Promise<VersionLineage["models"]> {
  const rows = await reader.all<{ id: string; model: string; version: number }>(
    `SELECT registered_model.id, registered_model.name AS model, model_version.number AS version
     FROM artifact JOIN model_version ON model_version.artifact = artifact.id
     JOIN registered_model ON registered_model.id = model_version.model
     WHERE artifact.organization = $1 AND artifact.path = $2 AND model_version.artifact_version = $3
     ORDER BY registered_model.name, model_version.number LIMIT ${limits.lineageLinksMax}`,
    organizationId,
    artifact,
    version,
  );
  const aliases = await reader.all<{ owner: string; name: string; version: string }>(
    `SELECT owner, name, version FROM alias WHERE ${reader.isOneOf("owner", "$1")} ORDER BY name`,
    JSON.stringify(rows.map(({ id }) => id)),
  );
  return rows.map(({ id, model, version: number }) => ({
    model,
    version: number,
    aliases: aliases
      .filter((one) => one.owner === id && one.version === String(number))
      .map(({ name }) => name),
  }));
}
