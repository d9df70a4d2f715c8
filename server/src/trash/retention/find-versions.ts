import type { VersionsRule } from "@lossless/protocol";
import { prefixEnd } from "../../artifacts/rows/prefix.ts";
import type { Reader } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import { dayMs } from "../setting.ts";
import { type Find, otherPlaces, type Rule } from "./rule.ts";

const artifactsPerPage = 200;

export interface RuleOfVersions extends Rule {
  content: VersionsRule;
}

/**
 * Returns whether a rule applies to an artifact: no rule of a deeper folder on its path takes
 * precedence.
 */
export async function artifactReach(
  reader: Reader,
  rule: RuleOfVersions,
): Promise<(path: string) => boolean> {
  const { under } = rule.content;
  const others = await otherPlaces(reader, rule);
  const nearer = others.filter((place) => place !== "" && isAt(under, place));
  return (path) => isAt(under, path) && !nearer.some((place) => isAt(place, path));
}

function isAt(place: string | null, path: string): boolean {
  return place === null || path === place || path.startsWith(`${place}/`);
}

/** Returns the number of versions to keep: at least the highest one. */
export function keptOf({ keepLast }: VersionsRule): number {
  return keepLast ?? 1;
}

/** Finds versions by artifact, the lowest first. */
export async function* findVersions(
  reader: Reader,
  rule: RuleOfVersions,
  moment: Moment,
): AsyncGenerator<Find> {
  const { content } = rule;
  if (content.keepLast === null && content.olderThanDays === null) return;
  const reaches = await artifactReach(reader, rule);
  let after = "";
  for (;;) {
    const page = await readArtifacts(reader, rule, after);
    const paths = new Map(
      page.filter(({ path }) => reaches(path)).map(({ id, path }) => [id, path]),
    );
    for (const row of await readSurplus(reader, content, [...paths.keys()], moment))
      yield findOf(row, paths.get(row.artifact)!, content, moment);
    if (page.length < artifactsPerPage) return;
    after = page.at(-1)!.path;
  }
}

async function readArtifacts(
  reader: Reader,
  { organizationId, content }: RuleOfVersions,
  after: string,
): Promise<{ id: string; path: string }[]> {
  const { under } = content;
  const end = under === null ? undefined : prefixEnd(under);
  return reader.all<{ id: string; path: string }>(
    `SELECT id, path FROM artifact
     WHERE organization = $1 AND path >= $2 AND path > $3 AND versions > $4
       ${end === undefined ? "" : "AND path < $5"} ORDER BY path LIMIT ${artifactsPerPage}`,
    organizationId,
    under ?? "",
    after,
    keptOf(content),
    ...(end === undefined ? [] : [end]),
  );
}

/** A condition: no alias and no model refers to the version. */
export function isUnnamed(version: string): string {
  return `NOT EXISTS (
      SELECT 1 FROM alias WHERE alias.owner = ${version}.artifact AND alias.version = ${version}.name)
    AND NOT EXISTS (
      SELECT 1 FROM model_version
      WHERE model_version.artifact = ${version}.artifact AND artifact_version = ${version}.name)`;
}

interface SurplusRow {
  artifact: string;
  name: string;
  upload: string;
  bytes: number;
  committed_at_ms: number;
}

async function readSurplus(
  reader: Reader,
  content: VersionsRule,
  artifacts: readonly string[],
  { nowMs }: Moment,
): Promise<SurplusRow[]> {
  return reader.all<SurplusRow>(
    `SELECT artifact, name, upload, bytes, committed_at_ms FROM (
       SELECT artifact, name, upload, bytes, committed_at_ms, restored_at_ms,
         row_number() OVER (PARTITION BY artifact ORDER BY name DESC) AS place
       FROM version WHERE ${reader.isOneOf("artifact", "$1")}) AS placed
     WHERE place > $2 AND restored_at_ms IS NULL AND committed_at_ms <= $3
       AND ${isUnnamed("placed")}
     ORDER BY artifact, name`,
    JSON.stringify(artifacts),
    keptOf(content),
    nowMs - dayMs * (content.olderThanDays ?? 0),
  );
}

function findOf(
  row: SurplusRow,
  path: string,
  { keepLast }: VersionsRule,
  { nowMs }: Moment,
): Find {
  const days = Math.floor((nowMs - row.committed_at_ms) / dayMs);
  const place = keepLast === null ? "not the highest" : `not among the last ${keepLast}`;
  return {
    subject: row.upload,
    name: path,
    version: row.name,
    points: 0,
    bytes: row.bytes,
    sinceMs: row.committed_at_ms,
    why: `${place}; committed ${days} days ago`,
    revision: 0,
  };
}
