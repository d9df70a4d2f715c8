import type { Reader } from "../../database/database.ts";
import { limits } from "@lossless/protocol/limits";
import type { Annotated } from "../annotated.ts";
import { isLineageBehind } from "../from-before.ts";
import { directions } from "./links.ts";
import { subjectOf } from "./subject.ts";

/**
 * Compares the uses of an experiment with their number and its annotations, and what it wrote with
 * the versions that name it, one sentence a fault. What is not looked through yet is no fault. For
 * `lossless verify`.
 */
export async function wrongLineage(
  reader: Reader,
  experimentId: string,
  { uses: annotated }: Annotated,
): Promise<string[]> {
  const rows = await reader.all<{ direction: number; subject: string; role: string }>(
    "SELECT direction, subject, role FROM lineage WHERE experiment = $1",
    experimentId,
  );
  const wrong = new Set<string>();
  const counted = await reader.get<{ uses: number }>(
    "SELECT uses FROM summarized WHERE experiment = $1",
    experimentId,
  );
  const uses = rows.filter(({ direction }) => direction === directions.used).length;
  if (counted?.uses !== uses)
    wrong.add(`counts ${counted?.uses} uses of versions, and has ${uses} in its lineage`);
  if (await isLineageBehind(reader)) return [...wrong];
  const stored = new Set(rows.map(({ direction, ...row }) => keyOf(direction, row)));
  const isFull = uses >= limits.usesPerExperimentMax;
  for (const used of annotated) {
    const [subject, role] = JSON.parse(used) as [string, string];
    const isStored = stored.has(keyOf(directions.used, { subject, role }));
    if (!isStored && !isFull) wrong.add(`lacks the use of ${subject} in its lineage`);
  }
  const written = await reader.all<{ artifact: string; version: string }>(
    `SELECT artifact.path AS artifact, written.version FROM version_experiment AS written
     JOIN artifact ON artifact.id = written.artifact
     WHERE written.organization = (SELECT organization FROM experiment WHERE id = $1)
       AND written.experiment = $1`,
    experimentId,
  );
  for (const version of written) {
    const subject = subjectOf(version);
    if (!stored.has(keyOf(directions.wrote, { subject, role: "" })))
      wrong.add(`lacks ${subject}, which it wrote, in its lineage`);
  }
  return [...wrong];
}

function keyOf(direction: number, { subject, role }: { subject: string; role: string }): string {
  return JSON.stringify([direction, subject, role]);
}
