import type { ReplyData, RequestData } from "@lossless/protocol";
import { compareBytes } from "../byte-order.ts";
import type { Reader } from "../database/database.ts";

export interface QueryRevisions {
  organizationId: string;
  data: RequestData<"svc.v2.query.revisions">;
}

/** What the reader thread brings: the number of points of each partition is in segments and the log. */
export interface RevisionContext {
  /** Added to every counter; an operator raises it after a restore, so that no cache sees an old number again. */
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
 * `query.revisions` (M63). An experiment's revision counts its changes, a series' revision its points: a
 * deduplicated retry changes neither.
 */
export async function queryRevisions(
  reader: Reader,
  { organizationId, data: { experimentIds } }: QueryRevisions,
  { revisionJump, snapshots }: RevisionContext,
): Promise<ReplyData<"svc.v2.query.revisions">> {
  const wanted = [...new Set(experimentIds)];
  const rows = await reader.all<{ id: string; revision: number }>(
    `SELECT experiment.id, head.revision FROM experiment JOIN head ON head.experiment = experiment.id
     WHERE experiment.organization = $1 AND ${reader.isOneOf("experiment.id", "$2")}`,
    organizationId,
    JSON.stringify(wanted),
  );
  const revisions = new Map(rows.map((row) => [row.id, row.revision]));
  const reply: ReplyData<"svc.v2.query.revisions"> = { experiments: [], missingExperimentIds: [] };
  for (const experimentId of wanted) {
    const revision = revisions.get(experimentId);
    if (revision === undefined) {
      reply.missingExperimentIds.push(experimentId);
      continue;
    }
    const series = [...(await countPoints(reader, experimentId, snapshots))]
      .sort(([left], [right]) => compareBytes(left, right))
      .map(([seriesName, points]) => ({ seriesName, revision: points + revisionJump }));
    reply.experiments.push({ experimentId, revision: revision + revisionJump, series });
  }
  return reply;
}

/** Points of each series by name. */
async function countPoints(
  reader: Reader,
  experimentId: string,
  snapshots: RevisionContext["snapshots"],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const partitions = await reader.all<{ partition: number; name: string }>(
    "SELECT partition, name FROM series WHERE experiment = $1",
    experimentId,
  );
  if (partitions.length === 0) return counts;
  const snapshot = await snapshots.take(
    reader,
    experimentId,
    partitions.map(({ partition }) => partition),
  );
  for (const { partition, name } of partitions) {
    counts.set(name, (counts.get(name) ?? 0) + snapshot.count(partition));
  }
  return counts;
}
