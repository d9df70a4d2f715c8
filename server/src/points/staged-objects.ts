import type { SegmentBucket } from "../buckets/bucket.ts";
import { ServiceError } from "../ground/errors.ts";

/** Objects that are stored but that no manifest names yet. */
export class StagedObjects {
  readonly #bucket: SegmentBucket;
  readonly #keys: string[] = [];

  constructor(bucket: SegmentBucket) {
    this.#bucket = bucket;
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    await this.#bucket.put(key, parts);
    this.#keys.push(key);
  }

  /**
   * Runs the write that publishes them. They are deleted when they certainly were not published;
   * when it is not known they stay, and the sweeper looks after them.
   */
  async publish(write: () => Promise<{ published: boolean }>): Promise<boolean> {
    try {
      const { published } = await write();
      if (!published) await this.drop();
      return published;
    } catch (error) {
      if (error instanceof ServiceError && error.code === "storage_full") await this.drop();
      throw error;
    }
  }

  async drop(): Promise<void> {
    for (const key of this.#keys.splice(0)) await this.#bucket.delete(key);
  }
}
