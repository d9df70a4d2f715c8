import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "../../settings/config.ts";
import { ServiceError } from "../../ground/errors.ts";
import { FairShares, type Share } from "../../ground/fair-shares.ts";
import { Slots } from "../../ground/slots.ts";
import { isShortRead, type ReplyOperations, type Storage } from "../../storage/storage.ts";
import { ClientGone } from "../bodies/client-gone.ts";
import { EqualReads } from "./equal-reads.ts";

export interface ReadReplyLimits {
  /** Bytes of the replies in work, from their making until the client has taken them. */
  bytes: FairShares;
  /** Maximum size of all replies to one request together. */
  requestBytesMax: number;
  /** Slots for long reads that run at once. */
  slots: Slots;
  /** Reads requested by pages: pages of one experiment request the same at the same time. */
  ofPages: EqualReads<Uint8Array[]>;
}

/** Maximum of reads that wait in line, of all organizations. */
const waitingMax = 1_024;

export function readRepliesOf({
  maxReplyBytes,
  maxReplyQueueBytes,
  maxReads,
}: Pick<Config, "maxReplyBytes" | "maxReplyQueueBytes" | "maxReads">): ReadReplies {
  return new ReadReplies({
    bytes: new FairShares(maxReplyQueueBytes, maxReplyBytes),
    requestBytesMax: maxReplyBytes,
    slots: new Slots(new FairShares(maxReads), {
      shares: new FairShares(waitingMax),
      fullMessage: "Too many reads of the organization wait",
    }),
    ofPages: new EqualReads(),
  });
}

/**
 * Replies to reads, as texts of the storage: bounds their sizes, alone and together, and gives them
 * turns.
 */
export class ReadReplies {
  readonly #limits: ReadReplyLimits;

  constructor(limits: ReadReplyLimits) {
    this.#limits = limits;
  }

  get usedBytes(): number {
    return this.#limits.bytes.taken;
  }

  get waiting(): number {
    return this.#limits.slots.waiting;
  }

  /**
   * Returns the replies to one request of an organization. Their bytes are given back when its
   * connection took them, or is closed.
   */
  of(
    organizationId: string,
    { raw: request }: { raw: IncomingMessage },
    { raw: response }: { raw: ServerResponse },
  ): RequestReplies {
    const replies = new RequestReplies(
      this.#limits,
      organizationId,
      () => request.socket.destroyed,
    );
    response.once("close", () => replies[Symbol.dispose]());
    return replies;
  }
}

export class RequestReplies implements Disposable {
  readonly #limits: ReadReplyLimits;
  readonly #organizationId: string;
  readonly #isGone: () => boolean;
  /** Ends the reads of a request whose client went away. */
  readonly #left = new AbortController();
  #share: Share | undefined;
  #usedBytes = 0;

  constructor(limits: ReadReplyLimits, organizationId: string, isGone: () => boolean) {
    this.#limits = limits;
    this.#organizationId = organizationId;
    this.#isGone = isGone;
  }

  /** Reads a reply; throws `result_too_large`, or `overloaded` when the client has to retry. */
  async read<Name extends keyof ReplyOperations>(
    storage: Storage,
    name: Name,
    input: Parameters<ReplyOperations[Name]>[1],
  ): Promise<JsonBytes> {
    const { requestBytesMax: max, slots, ofPages } = this.#limits;
    const read = (signal: AbortSignal): Promise<Uint8Array[]> => {
      const bytes = { max, left: max - this.#usedBytes };
      return storage.readReply(name, input, bytes, signal);
    };
    const inTurn = (signal: AbortSignal): Promise<Uint8Array[]> =>
      slots.in(this.#organizationId, () => read(signal), signal);
    this.#hold(this.#usedBytes);
    const { signal } = this.#left;
    // The reply depends on the input alone.
    const isOfPages = this.#usedBytes === 0 && name.startsWith("views.");
    const data = new JsonBytes(
      await this.#untilLeft(
        isShortRead(name)
          ? read(signal)
          : isOfPages
            ? ofPages.read(JSON.stringify([this.#organizationId, name, input]), signal, inTurn)
            : inTurn(signal),
      ),
    );
    this.#hold(this.#usedBytes + data.sizeBytes);
    this.#usedBytes += data.sizeBytes;
    return data;
  }

  [Symbol.dispose](): void {
    this.#left.abort();
    this.#share?.[Symbol.dispose]();
    this.#share = undefined;
  }

  async #untilLeft<Result>(read: Promise<Result>): Promise<Result> {
    try {
      return await read;
    } catch (error) {
      throw this.#left.signal.aborted ? new ClientGone() : error;
    }
  }

  #hold(sizeBytes: number): void {
    // The response is closed already: nothing would give the bytes back.
    if (this.#isGone()) throw new ClientGone();
    this.#share ??= this.#limits.bytes.take(this.#organizationId, sizeBytes);
    if (this.#share?.growTo(sizeBytes) === true) return;
    throw new ServiceError("overloaded", "Too many bytes of replies wait to be read; try again.");
  }
}

/** JSON passed on as UTF-8 in pieces. */
export class JsonBytes {
  readonly pieces: readonly Uint8Array[];
  readonly sizeBytes: number;

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces;
    this.sizeBytes = pieces.reduce((sum, { length }) => sum + length, 0);
  }
}
