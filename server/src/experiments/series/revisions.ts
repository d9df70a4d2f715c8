import type { RequestData } from "@lossless/protocol";
import { compareBytes } from "../../ground/byte-order.ts";
import type { Reader } from "../../database/database.ts";
import { addArray, type ReplyText } from "../../ground/reply-text.ts";
import { readPartitions } from "./partitions.ts";

export interface QueryRevisions {
  organizationId: string;
  data: RequestData<"svc.v2.query.revisions">;
}

/** A reader thread brings this: segments and the log have each partition's number of points. */
export interface RevisionContext {
  /**
   * Added to every counter; an operator raises it after a restore, so that no cache sees an old
   * number again.
   */
  revisionJump: number;
  snapshots: {
    take(
      reader: Reader,
      experimentId: string,
      partitions: Iterable<number>,
    ): Promise<{ count(partition: number): number }>;
  };
}

/**
 * `query.revisions` (M63). An experiment's revision counts its changes, a series' revision its
 * points: a deduplicated retry changes neither.
 */
export async function queryRevisions(
  reader: Reader,
  { organizationId, data: { experimentIds } }: QueryRevisions,
  text: ReplyText,
  { revisionJump, snapshots }: RevisionContext,
): Promise<void> {
  const wanted = [...new Set(experimentIds)];
  const rows = await reader.all<{ id: string; revision: number }>(
    `SELECT experiment.id, head.revision FROM experiment JOIN head ON head.experiment = experiment.id
     WHERE experiment.organization = $1 AND trashed_at_ms IS NULL
       AND ${reader.isOneOf("experiment.id", "$2")}`,
    organizationId,
    JSON.stringify(wanted),
  );
  const revisions = new Map(rows.map((row) => [row.id, row.revision]));
  await addOwnRevisions(reader, revisions);
  const found = wanted.filter((id) => revisions.has(id));
  await text.add('{"experiments":[');
  for (const [at, experimentId] of found.entries()) {
    const revision = revisions.get(experimentId)! + revisionJump;
    const head = JSON.stringify({ experimentId, revision });
    await text.add(`${at === 0 ? "" : ","}${head.slice(0, -1)},"series":`);
    const series = [...(await countPoints(reader, experimentId, snapshots, text))];
    series.sort(([left], [right]) => compareBytes(left, right));
    await addArray(text, series, ([seriesName, points]) =>
      JSON.stringify({ seriesName, revision: points + revisionJump }),
    );
    await text.add("}");
  }
  const missing = wanted.filter((id) => !revisions.has(id));
  await text.add(`],"missingExperimentIds":${JSON.stringify(missing)}}`);
}

/** Adds what the servers with the points have counted, where that is not the directory. */
async function addOwnRevisions(reader: Reader, revisions: Map<string, number>): Promise<void> {
  for (const [own, ids] of await reader.atEach([...revisions.keys()])) {
    if (own === reader) continue;
    const rows = await own.all<{ experiment: string; revision: number }>(
      `SELECT experiment, revision FROM head WHERE ${own.isOneOf("experiment", "$1")}`,
      JSON.stringify(ids),
    );
    for (const { experiment, revision } of rows)
      revisions.set(experiment, revisions.get(experiment)! + revision);
  }
}

/** Points of each series by name, those that were purged among them: the number only grows. */
async function countPoints(
  reader: Reader,
  experimentId: string,
  snapshots: RevisionContext["snapshots"],
  text: ReplyText,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const partitions: number[] = [];
  /** Holds for each partition the text of `counts`: a row has one of its own. */
  const names: string[] = [];
  const known = new Map<string, string>();
  let sizeBytes = 0;
  for await (const rows of readPartitions(reader, experimentId)) {
    for (const { partition, name } of rows) {
      let own = known.get(name);
      if (own === undefined) {
        known.set(name, (own = name));
        text.require((sizeBytes += name.length));
      }
      partitions.push(partition);
      names.push(own);
    }
  }
  if (partitions.length === 0) return counts;
  const snapshot = await snapshots.take(reader, experimentId, partitions);
  for (const [at, partition] of partitions.entries()) {
    counts.set(names[at], (counts.get(names[at]) ?? 0) + snapshot.count(partition));
  }
  const own = await reader.at(experimentId);
  const purged = await own.all<{ name: string; points: number }>(
    `SELECT name, CAST(sum(points) AS BIGINT) AS points FROM dropped_series
     WHERE experiment = $1 GROUP BY name`,
    experimentId,
  );
  for (const { name, points } of purged) {
    const left = counts.get(name);
    if (left !== undefined) counts.set(name, left + points);
  }
  return counts;
}
