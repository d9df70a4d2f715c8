import type { Bucket } from "../buckets/bucket.ts";
import type { Database } from "../database/database.ts";
import type { EngineTools } from "./seal.ts";

/** An object that no manifest names is somebody's half-made seal until it is this old. */
const orphanAgeMs = 24 * 60 * 60 * 1000;
/** The whole bucket is listed this often. */
const listEveryMs = 6 * 60 * 60 * 1000;

/** Deletes objects that merges replaced, after their grace, and orphans of seals that never got published. */
export class Sweeper {
  private readonly database: Database;
  private readonly bucket: Bucket;
  private readonly write: EngineTools["write"];
  private listedAtMs = 0;

  constructor({ database, bucket, write }: EngineTools) {
    this.database = database;
    this.bucket = bucket;
    this.write = write;
  }

  /** Returns how many objects were deleted. */
  async sweep(): Promise<number> {
    const nowMs = Date.now();
    const garbage = await this.database.read((reader) =>
      reader.all<{ key: string }>("SELECT key FROM garbage WHERE delete_after_ms <= $1 LIMIT 1000", nowMs),
    );
    for (const { key } of garbage) await this.bucket.delete(key);
    if (garbage.length > 0) {
      await this.write("points.forgetGarbage", { keys: garbage.map(({ key }) => key) });
    }
    if (nowMs - this.listedAtMs < listEveryMs) return garbage.length;
    this.listedAtMs = nowMs;
    return garbage.length + (await this.deleteOrphans(nowMs));
  }

  private async deleteOrphans(nowMs: number): Promise<number> {
    let deleted = 0;
    for await (const { key, modifiedMs } of this.bucket.list("")) {
      if (nowMs - modifiedMs < orphanAgeMs) continue;
      const named = await this.database.read((reader) =>
        reader.get<{ key: string }>(
          "SELECT key FROM segment WHERE key = $1 UNION ALL SELECT key FROM garbage WHERE key = $1",
          key,
        ),
      );
      if (named !== undefined) continue;
      await this.bucket.delete(key);
      deleted++;
    }
    return deleted;
  }
}
