import type { SegmentBucket } from "../buckets/bucket.ts";
import type { Reader } from "../database/database.ts";
import { Lines } from "./lines.ts";
import { verifyObject } from "./object.ts";

export interface CheckedConsole {
  lines: number;
  objects: number;
  objectBytes: number;
}

/** Reads a whole console and reports what is wrong, each with the name of what it concerns. */
export async function checkConsole(
  reader: Reader,
  bucket: Pick<SegmentBucket, "read" | "size">,
  experimentId: string,
  report: (what: string, message: string) => void,
): Promise<CheckedConsole> {
  const found = { lines: 0, objects: 0, objectBytes: 0 };
  const whole = await reader.get<{ lines: number; sealed: number; unsealed_bytes: number }>(
    "SELECT lines, sealed, unsealed_bytes FROM console WHERE experiment = $1",
    experimentId,
  );
  if (whole === undefined) return found;
  const what = `${experimentId} console`;
  const objects = await reader.all<{
    key: string;
    seq_from: number;
    points: number;
    bytes: number;
  }>(
    `SELECT key, seq_from, points, bytes FROM segment WHERE experiment = $1 AND kind = 'console'
     ORDER BY seq_from`,
    experimentId,
  );
  for (const { key, seq_from: from, points: lines, bytes } of objects) {
    if (from !== found.lines) report(what, `objects go from line ${found.lines} to ${from}`);
    found.lines = from + lines;
    found.objects++;
    found.objectBytes += bytes;
    try {
      const size = await bucket.size(key);
      if (size !== bytes) report(key, `has ${size} bytes, the manifest says ${bytes}`);
      const held = await verifyObject(bucket, key);
      if (held !== lines) report(key, `holds ${held} lines, the manifest says ${lines}`);
    } catch (error) {
      report(key, (error as Error).message);
    }
  }
  if (found.lines !== whole.sealed)
    report(what, `objects end at line ${found.lines}, its row says ${whole.sealed}`);
  await checkLog(reader, experimentId, found, report);
  if (found.lines !== whole.lines)
    report(what, `has ${found.lines} lines, its row says ${whole.lines}`);
  const { stored } = (await reader.get<{ stored: number | null }>(
    "SELECT sum(lines) AS stored FROM console_source WHERE experiment = $1",
    experimentId,
  ))!;
  if (Number(stored) !== whole.lines)
    report(what, `has ${whole.lines} lines, its sources sent ${Number(stored)}`);
  return found;
}

async function checkLog(
  reader: Reader,
  experimentId: string,
  found: CheckedConsole,
  report: (what: string, message: string) => void,
): Promise<void> {
  for (;;) {
    const row = await reader.get<{ first: number; lines: number; record: Uint8Array }>(
      "SELECT first, lines, record FROM console_log WHERE experiment = $1 AND first >= $2 ORDER BY first LIMIT 1",
      experimentId,
      found.lines,
    );
    if (row === undefined) return;
    const what = `${experimentId} console record ${row.first}`;
    if (row.first !== found.lines) report(what, `follows line ${found.lines}`);
    found.lines = row.first + row.lines;
    try {
      const lines = new Lines(row.record);
      for (let at = 0; at < lines.count; at++) lines.line(at);
      if (lines.count !== row.lines)
        report(what, `holds ${lines.count} lines, its row says ${row.lines}`);
    } catch (error) {
      report(what, (error as Error).message);
    }
  }
}
