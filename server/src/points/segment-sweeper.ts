import type { Database, WorkerState } from "../database/database.ts";
import type { EngineTools } from "./seal.ts";

/** Age up to which an object in no manifest may belong to an unfinished seal. */
const orphanAgeMs = 24 * 60 * 60 * 1000;
/** The whole bucket is listed this often. */
const listEveryMs = 6 * 60 * 60 * 1000;

type Server = Pick<Database, "read"> & { readonly state?: WorkerState };

function isAway({ state = "answers" }: Pick<Server, "state">): boolean {
  return state !== "answers";
}

/** Deletes objects that merges replaced, after their grace, and orphans of unpublished seals. */
export class SegmentSweeper {
  readonly #tools: EngineTools;
  /** All servers that name objects: the directory first, then the workers. */
  readonly #servers: readonly Server[];
  #listedAtMs = 0;

  constructor(tools: EngineTools, workers: readonly Server[] = []) {
    this.#tools = tools;
    this.#servers = [tools.database, ...workers];
  }

  /** Returns how many objects were deleted. When stopped, the next sweep finds the rest. */
  async sweep(stopped: AbortSignal): Promise<number> {
    const swept = await this.sweepGarbage(stopped);
    const nowMs = Date.now();
    const isDue = nowMs - this.#listedAtMs >= listEveryMs;
    // Which objects are orphans, all servers have to say.
    if (stopped.aborted || !isDue || this.#servers.some(isAway)) return swept;
    this.#listedAtMs = nowMs;
    return swept + (await this.#deleteOrphans(nowMs, stopped));
  }

  /** Deletes only the objects in the database's list: up to 1,000 keys, or prefixes of keys. */
  async sweepGarbage(stopped: AbortSignal): Promise<number> {
    let swept = 0;
    for (const [number, server] of this.#servers.entries())
      if (!isAway(server)) swept += await this.#sweepServer(number, stopped);
    return swept;
  }

  async #sweepServer(server: number, stopped: AbortSignal): Promise<number> {
    const nowMs = Date.now();
    const garbage = await this.#servers[server].read((reader) =>
      reader.all<{ key: string }>(
        "SELECT key FROM garbage WHERE delete_after_ms <= $1 LIMIT 1000",
        nowMs,
      ),
    );
    for (const { key } of garbage) {
      if (stopped.aborted) return 0;
      if (key.endsWith("/")) await this.#deleteBelow(key);
      else await this.#tools.bucket.delete(key);
    }
    if (garbage.length > 0) {
      await this.#tools.write("points.forgetGarbage", {
        keys: garbage.map(({ key }) => key),
        server,
      });
    }
    return garbage.length;
  }

  /** Deletes the objects of a purged experiment, for which nothing can be published any more. */
  async #deleteBelow(prefix: string): Promise<void> {
    const { bucket } = this.#tools;
    for await (const { key } of bucket.list(prefix)) await bucket.delete(key);
  }

  async #deleteOrphans(nowMs: number, stopped: AbortSignal): Promise<number> {
    let deleted = 0;
    for await (const { key, modifiedMs } of this.#tools.bucket.list("")) {
      if (stopped.aborted) break;
      if (nowMs - modifiedMs < orphanAgeMs) continue;
      if (await this.#isNamed(key)) continue;
      await this.#tools.bucket.delete(key);
      deleted++;
    }
    return deleted;
  }

  async #isNamed(key: string): Promise<boolean> {
    for (const server of this.#servers) {
      const named = await server.read((reader) =>
        reader.get<{ key: string }>(
          "SELECT key FROM segment WHERE key = $1 UNION ALL SELECT key FROM garbage WHERE key = $1",
          key,
        ),
      );
      if (named !== undefined) return true;
    }
    return false;
  }
}
