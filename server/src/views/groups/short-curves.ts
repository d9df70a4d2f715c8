import type { GroupsBody } from "@lossless/protocol";
import { inParallel } from "../../ground/in-parallel.ts";
import { BlockReader } from "../../points/blocks.ts";
import { type ChunkData, curveRoom, decodeCurve, readChunkData } from "../../points/chunk.ts";
import type { TakenSnapshot } from "../../points/many-snapshots.ts";
import type { ShortChunk } from "../../points/snapshots.ts";
import type { Curve } from "../charts/line.ts";
import { originOf } from "../charts/selected-partitions.ts";
import type { GroupMember } from "./member-groups.ts";

/** Chunks that are read at once. */
const readAtOnce = 32;
/** Stored bytes of chunks that are read ahead. */
const storedBytesMax = 4_194_304;
/** Bytes of chunks that are decompressed in one call, and in memory until they are taken. */
const rawBytesMax = 33_554_432;

interface WaitingChunk {
  member: GroupMember;
  chunk: ShortChunk;
  /** undefined until it is read, and where it cannot be. */
  data?: ChunkData & { rawBytes: number };
}

interface OpenedChunk {
  blocks: BlockReader;
  count: number;
}

/**
 * Curves of sealed lines with few points, most lines of a sweep: many of them are decompressed in
 * one call, and none has memory of its own.
 */
export class ShortCurves {
  readonly #xAxis: GroupsBody["xAxis"];
  readonly #axis: "step" | "timestamp";
  readonly #countMax: number;
  readonly #room = curveRoom();
  /** Lines in the order in which they are taken: those before `#at` are opened, or cannot be. */
  #waiting: WaitingChunk[] = [];
  #at = 0;
  #readTo = 0;
  #opened = new Map<GroupMember, OpenedChunk>();

  constructor(xAxis: GroupsBody["xAxis"], countMax: number) {
    this.#xAxis = xAxis;
    this.#axis = xAxis === "step" || xAxis === "offset" ? "step" : "timestamp";
    this.#countMax = countMax;
  }

  /**
   * Begins a slice: its lines are taken in this order. A line that is not given is read by itself:
   * a damaged one, and one whose timestamps are not in order.
   */
  begin(members: readonly GroupMember[], taken: ReadonlyMap<string, TakenSnapshot>): void {
    [this.#at, this.#readTo] = [0, 0];
    this.#opened = new Map();
    this.#waiting = members.flatMap((member) => {
      const chunk = this.#chunkOf(member, taken.get(member.experimentId));
      return chunk === undefined ? [] : { member, chunk };
    });
  }

  /** Opens the next lines if this is the first of them; it is awaited before the line is taken. */
  ahead(member: GroupMember): Promise<void> | undefined {
    return this.#waiting[this.#at]?.member === member ? this.#openNext() : undefined;
  }

  /** Returns the curve of a line, which is valid until the next one is taken. */
  take(member: GroupMember, snapshot: TakenSnapshot): Curve | undefined {
    const opened = this.#opened.get(member);
    if (opened === undefined || "failure" in snapshot) return undefined;
    this.#opened.delete(member);
    let curve: Curve;
    try {
      curve = decodeCurve(opened.count, opened.blocks, this.#axis, this.#room);
    } catch {
      return undefined;
    }
    const origin = originOf(this.#xAxis, snapshot, member.siblings);
    const { x } = curve;
    if (origin !== 0) for (let at = 0; at < x.length; at++) x[at] -= origin;
    return curve;
  }

  #chunkOf(member: GroupMember, snapshot: TakenSnapshot | undefined): ShortChunk | undefined {
    if (this.#countMax === 0) return undefined;
    if (snapshot === undefined || "failure" in snapshot) return undefined;
    const chunk = snapshot.shortChunk(member.number, this.#countMax);
    return this.#axis === "step" || chunk?.isOrdered === true ? chunk : undefined;
  }

  async #openNext(): Promise<void> {
    if (this.#at === this.#readTo) await this.#readNext();
    const some: { member: GroupMember; data: ChunkData }[] = [];
    for (let rawBytes = 0; this.#at < this.#readTo; this.#at++) {
      const waiting = this.#waiting[this.#at];
      const { member, data } = waiting;
      if (data === undefined) continue;
      rawBytes += data.rawBytes;
      if (rawBytes > rawBytesMax && some.length > 0) break;
      some.push({ member, data });
      delete waiting.data;
    }
    let readers: BlockReader[];
    try {
      readers = BlockReader.together(some.map(({ data }) => data.data));
    } catch {
      return;
    }
    for (const [at, { member, data }] of some.entries())
      this.#opened.set(member, { blocks: readers[at], count: data.count });
  }

  async #readNext(): Promise<void> {
    for (let bytes = 0; bytes < storedBytesMax && this.#readTo < this.#waiting.length;)
      bytes += this.#waiting[this.#readTo++].chunk.bytes;
    const some = this.#waiting.slice(this.#at, this.#readTo);
    await inParallel(readAtOnce, some, async (waiting) => {
      try {
        const data = readChunkData(await waiting.chunk.read());
        waiting.data = { ...data, rawBytes: BlockReader.rawLength(data.data) };
      } catch {
        // It is read once more by itself, which tells its damage.
      }
    });
  }
}
