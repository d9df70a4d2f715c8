import type { ExperimentRecord, LosslessClient } from "@lossless/client";
import { CommandError } from "../command.ts";
import { experimentOfSlug } from "../named-experiment.ts";
import { importRecordOf } from "./import-record.ts";
import { type Scan, timestampMsOf } from "./scan.ts";

/** Returns the experiment of this slug, if there is one that may be added to. */
export async function existingExperiment(
  client: LosslessClient,
  slug: string,
  { baseTimestampMs, append }: { baseTimestampMs: number; append: boolean },
): Promise<ExperimentRecord | undefined> {
  const found = await experimentOfSlug(client, slug);
  if (found === undefined) return undefined;
  const earlier = importRecordOf(found.meta);
  if (earlier === undefined && !append) {
    throw new CommandError(
      `the experiment ${slug} exists and was not imported; choose another slug with --slug-prefix, or add to it with --append`,
    );
  }
  if (earlier !== undefined && earlier.baseTimestampMs !== baseTimestampMs) {
    throw new CommandError(
      `${slug} was imported with another base; repeat it with --base-timestamp ${earlier.baseTimestampMs}`,
    );
  }
  return found;
}

/** Throws if the experiment was imported from a file with other rows, to keep runs apart. */
export async function checkSameFile(
  client: LosslessClient,
  { experimentId, meta }: ExperimentRecord,
  file: Scan,
): Promise<void> {
  const earlier = importRecordOf(meta);
  if (earlier === undefined) return;
  // Points of an import appended to an existing experiment cannot be told from the others.
  const isKnown = earlier.appended !== true || earlier.digest !== undefined;
  const isSame = file.goesOn ?? (isKnown ? await hasItsPoints(client, experimentId, file) : true);
  if (isSame) return;
  throw new CommandError(
    `the experiment ${file.slug} was imported from another ${earlier.file}, or its rows have changed since; nothing was stored. Import this file under another slug with --slug-prefix`,
  );
}

/**
 * Whether the file's rows include all imported points of the experiment; for a file with fewer
 * rows, whether the experiment has all of the file's.
 */
async function hasItsPoints(
  client: LosslessClient,
  experimentId: string,
  file: Scan,
): Promise<boolean> {
  const { rows: earlierRows } = importRecordOf((await client.experiment({ experimentId })).meta)!;
  const counts = new Map<string, number>();
  let left = 0;
  for await (const rows of file.rows()) {
    for (const row of rows) {
      if (row.row > earlierRows || !Number.isFinite(row.value)) continue;
      const timestampMs = timestampMsOf(row, file.record.baseTimestampMs);
      const key = pointKey(row.metric, row.meta ?? {}, row.step, timestampMs, row.value);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      left++;
    }
  }
  let others = 0;
  for (const { seriesName, metadata, step, timestampMs, value } of await client.collectSeries({
    experimentId,
    xAxis: "step",
  })) {
    for (let index = 0; index < value.length; index++) {
      const at = [step[index], timestampMs[index], value[index]] as const;
      const key = pointKey(seriesName, metadata, ...at);
      const count = counts.get(key) ?? 0;
      if (count === 0) others++;
      else {
        counts.set(key, count - 1);
        left--;
      }
    }
  }
  return file.record.rows < earlierRows ? left === 0 : others === 0;
}

function pointKey(
  name: string,
  meta: Readonly<Record<string, string>>,
  step: number | null,
  timestampMs: number,
  value: number,
): string {
  const members = Object.entries(meta).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([name, members, step, timestampMs, value]);
}
