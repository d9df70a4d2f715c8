import type { ArtifactListReply, ListedArtifact } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { prefixEnd } from "../../artifacts/rows/prefix.ts";
import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { SqlText } from "../table/sql-text.ts";
import { isGone } from "./gone.ts";
import { readLevel } from "./level.ts";

export interface ReadArtifacts {
  organizationId: string;
  under: string;
  search: string;
  sort: "name" | "newest";
  /** Empty at the first page. */
  after: string;
  limit: number;
}

/**
 * `views.artifacts`: folders and artifacts right below a prefix; with a search or by their last
 * commit all artifacts below it.
 */
export async function readArtifacts(
  reader: Reader,
  input: ReadArtifacts,
  text: ReplyText,
): Promise<void> {
  const wanted = { ...input, limit: Math.min(input.limit, limits.listedArtifactsMax) };
  const isLevel = wanted.search === "" && wanted.sort === "name";
  const { folders, paths, next } = isLevel
    ? await readLevel(reader, wanted)
    : await readFound(reader, wanted);
  const artifacts = await readListed(reader, wanted.organizationId, paths);
  await text.add(JSON.stringify({ folders, artifacts, next } satisfies ArtifactListReply));
}

async function readFound(reader: Reader, wanted: ReadArtifacts) {
  const { organizationId, under, search, sort, limit } = wanted;
  const text = new SqlText();
  const tests = [
    reader.inTime("artifact"),
    `organization = ${text.bind(organizationId)}`,
    `path >= ${text.bind(under)}`,
  ];
  if (sort === "name") tests.push(`NOT ${isGone}`);
  const end = prefixEnd(under);
  if (end !== undefined) tests.push(`path < ${text.bind(end)}`);
  if (search !== "") tests.push(text.like(reader, "path", search));
  if (sort === "newest") tests.push("latest IS NOT NULL");
  if (wanted.after !== "") {
    if (sort === "name") tests.push(`path > ${text.bind(wanted.after)}`);
    else {
      const { atMs, path } = newestCursor(wanted.after);
      const at = text.number(atMs);
      tests.push(`latest_at_ms <= ${at} AND (latest_at_ms < ${at} OR path > ${text.bind(path)})`);
    }
  }
  // With + 0 no index has this order: a pattern that few paths fit is looked for by path.
  const at = search === "" ? "latest_at_ms" : "latest_at_ms + 0";
  const order = sort === "newest" ? `${at} DESC, path` : "path";
  const rows = await reader.composed<{ path: string; at_ms: number | null }>(
    `SELECT path, latest_at_ms AS at_ms FROM artifact WHERE ${tests.join(" AND ")}
     ORDER BY ${order} LIMIT ${text.number(limit + 1)}`,
    ...text.values,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isMore = rows.length > page.length && last !== undefined;
  const next = !isMore ? null : sort === "newest" ? `${last.at_ms} ${last.path}` : last.path;
  return { folders: [], paths: page.map(({ path }) => path), next };
}

function newestCursor(after: string): { atMs: number; path: string } {
  const found = /^(\d{1,15}) ([\s\S]+)$/.exec(after);
  if (found === null) throw new ServiceError("bad_request", "`after` must be that of a reply.");
  return { atMs: Number(found[1]), path: found[2] };
}

/** In the order of the paths that are given. */
async function readListed(
  reader: Reader,
  organizationId: string,
  paths: readonly string[],
): Promise<ListedArtifact[]> {
  const rows = await reader.all<ListedRow>(
    `SELECT artifact.path, artifact.versions, artifact.bytes, artifact.latest,
       artifact.latest_at_ms AS "lastCommitAtMs", artifact.latest_source AS source, artifact.epoch,
       location.id AS location, location.name AS "locationName", location.cloud, location.region
     FROM artifact
     LEFT JOIN version ON version.artifact = artifact.id AND version.name = artifact.latest
     LEFT JOIN location ON location.id = version.location
     WHERE artifact.organization = $1 AND ${reader.isOneOf("artifact.path", "$2")}`,
    organizationId,
    JSON.stringify(paths),
  );
  const byPath = new Map(rows.map((row) => [row.path, listedOf(row)]));
  return paths.flatMap((path) => byPath.get(path) ?? []);
}

interface ListedRow extends Omit<ListedArtifact, "artifact" | "location"> {
  path: string;
  location: string | null;
  locationName: string;
  cloud: string;
  region: string;
}

function listedOf({ path, location, locationName, cloud, region, ...row }: ListedRow) {
  const place = location === null ? null : { id: location, name: locationName, cloud, region };
  return { artifact: path, ...row, location: place } satisfies ListedArtifact;
}
