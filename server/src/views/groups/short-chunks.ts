import type { GroupsBody } from "@lossless/protocol";
import { inParallel } from "../../ground/in-parallel.ts";
import type { TakenSnapshot } from "../../points/many-snapshots.ts";
import type { ShortChunk } from "../../points/snapshots.ts";
import { originOf } from "../charts/selected-partitions.ts";
import type { GroupMember } from "./member-groups.ts";

/** Chunks that are read at once. */
const readAtOnce = 32;
/** Stored bytes of one batch. */
const batchBytesMax = 4_194_304;

/** Lines as they are stored: each is one chunk. */
export interface ShortBatch<Member> {
  members: Member[];
  /** Their chunks, one behind the other. */
  chunks: Uint8Array<ArrayBuffer>;
  lengths: Uint32Array<ArrayBuffer>;
  /** Subtracted from the x of each line. */
  origins: Float64Array<ArrayBuffer>;
}

/**
 * The sealed lines with few points among those of a slice, most lines of a sweep: they are read as
 * bytes, many at once, and decoded elsewhere.
 */
export class ShortChunks<Member extends GroupMember> {
  readonly #chunks = new Map<Member, { chunk: ShortChunk; origin: number }>();

  /** Lines of at most `countMax` points; 0: none. */
  constructor(
    members: readonly Member[],
    taken: ReadonlyMap<string, TakenSnapshot>,
    { xAxis, countMax }: { xAxis: GroupsBody["xAxis"]; countMax: number },
  ) {
    if (countMax === 0) return;
    const needsOrder = xAxis !== "step" && xAxis !== "offset";
    for (const member of members) {
      const snapshot = taken.get(member.experimentId);
      if (snapshot === undefined || "failure" in snapshot) continue;
      const chunk = snapshot.shortChunk(member.number, countMax);
      if (chunk === undefined || (needsOrder && !chunk.isOrdered)) continue;
      this.#chunks.set(member, { chunk, origin: originOf(xAxis, snapshot, member.siblings) });
    }
  }

  /** Whether a batch has the line. One that cannot be read is in none, once its batch was read. */
  has(member: Member): boolean {
    return this.#chunks.has(member);
  }

  async *batches(): AsyncGenerator<ShortBatch<Member>> {
    const members = [...this.#chunks.keys()];
    for (let start = 0, end = 0; start < members.length; start = end) {
      let bytes = 0;
      for (; end < members.length && bytes < batchBytesMax; end++)
        bytes += this.#chunks.get(members[end])!.chunk.bytes;
      yield await this.#read(members.slice(start, end), bytes);
    }
  }

  async #read(members: readonly Member[], bytes: number): Promise<ShortBatch<Member>> {
    const read = new Map<Member, Uint8Array>();
    await inParallel(readAtOnce, members, async (member) => {
      try {
        read.set(member, await this.#chunks.get(member)!.chunk.read());
      } catch {
        // It is read once more by itself, which tells its damage.
        this.#chunks.delete(member);
      }
    });
    const whole = members.filter((member) => read.has(member));
    const chunks = new Uint8Array(bytes);
    const lengths = new Uint32Array(whole.length);
    const origins = new Float64Array(whole.length);
    let end = 0;
    for (const [at, member] of whole.entries()) {
      const chunk = read.get(member)!;
      chunks.set(chunk, end);
      end += lengths[at] = chunk.length;
      origins[at] = this.#chunks.get(member)!.origin;
    }
    return {
      members: whole,
      chunks: end < bytes ? chunks.slice(0, end) : chunks,
      lengths,
      origins,
    };
  }
}
