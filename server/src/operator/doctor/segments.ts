import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { S3Segments } from "../../buckets/segments/s3.ts";
import { systemClock } from "../../ground/clock.ts";
import { newId } from "../../ground/ids.ts";
import type { SegmentStore } from "../../settings/segment-store.ts";
import { type Finding, ok, problem } from "./finding.ts";

/** Stores, reads and removes a small object beside the sealed points of `--segments`. */
export async function examineSegments(segments: SegmentStore): Promise<Finding> {
  const about = `bucket of --segments, s3://${segments.bucket}/${segments.prefix}`;
  const cache = mkdtempSync(join(tmpdir(), "lossless-doctor-"));
  const key = `doctor-${newId(systemClock())}`;
  const sent = Buffer.from(key);
  try {
    await using store = new S3Segments(segments, cache);
    const startedMs = performance.now();
    await store.put(key, [sent]);
    const tookMs = Math.round(performance.now() - startedMs);
    try {
      const read = await store.read(key, 0, sent.byteLength);
      if (!sent.equals(read)) throw new Error("it gave back other bytes than it got");
    } finally {
      await store.delete(key);
    }
    return ok(about, `put (${tookMs} ms), read and removal work`);
  } catch (error) {
    return problem(
      about,
      `it does not support what sealing needs: ${(error as Error).message}`,
      "Look at AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, their rights, the endpoint and the network. Until it works nothing is sealed, and sealed points cannot be read.",
    );
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}
