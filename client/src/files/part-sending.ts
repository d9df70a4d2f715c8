import { StoreError } from "../errors.ts";
import { retryDelayMs, sleep } from "../retry.ts";
import type { RetryPolicy } from "../retry.ts";
import type { Addresses } from "./addresses.ts";
import type { PreparedFile } from "./content.ts";
import { inParallel } from "./in-parallel.ts";
import { sendPart } from "./part.ts";
import type { Part, SentPart } from "./part.ts";
import type { StoreConnections } from "./store-connections.ts";

export interface PartSendingOptions {
  files: readonly PreparedFile[];
  addresses: Addresses;
  connections: StoreConnections;
  parallel: number;
  policy: RetryPolicy;
  signal: AbortSignal;
  onSent: (part: Part, sent: SentPart) => void;
  /** Bytes that have left, negative for those of an attempt that failed. */
  onBytes: (count: number) => void;
}

/** A part failed this often in a row, and no other part arrived meanwhile: the location is to blame. */
const locationTriesMax = 8;
/** A store that refuses before it has read everything may just cut the connection: then an address may be the reason. */
const triesPerRenewal = 3;

/** The location takes nothing at the moment; another one may. */
export class LocationFailing extends StoreError {
  override name = "LocationFailing";
}

/** Sends parts to one upload, several at a time, each until it has arrived. */
export class PartSending {
  readonly #options: PartSendingOptions;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #lastArrivalMs = -Infinity;

  constructor(options: PartSendingOptions) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#stop.signal]);
  }

  /** Throws LocationFailing, StoreError, FileChangedError, SupersededError; then nothing is under way any more. */
  async send(parts: readonly Part[]): Promise<void> {
    await inParallel(this.#options.parallel, parts, async (part) => {
      this.#signal.throwIfAborted();
      try {
        this.#options.onSent(part, await this.#arrived(part));
      } catch (error) {
        // The others need not go on for an upload that fails.
        this.#stop.abort(error);
        throw error;
      }
    });
  }

  async #arrived(part: Part): Promise<SentPart> {
    const startedAtMs = performance.now();
    let refusedGeneration: number | undefined;
    for (let tries = 1; ;) {
      const { address, generation } = await this.#options.addresses.of(part);
      try {
        const sent = await this.#attempt(part, address);
        this.#lastArrivalMs = performance.now();
        return sent;
      } catch (error) {
        if (this.#signal.aborted || !(error instanceof StoreError)) throw error;
        if (!isTransientStatus(error.status)) {
          // Stores say that an address has ended in many ways; a fresh one that is refused is another matter.
          if (refusedGeneration !== undefined && refusedGeneration !== generation) throw error;
          refusedGeneration = generation;
          await this.#options.addresses.renew(generation);
          continue;
        }
        const isLocation = this.#lastArrivalMs < startedAtMs && tries >= locationTriesMax;
        if (isLocation) throw new LocationFailing(error.message, error.status, error);
        if (error.status === undefined && tries % triesPerRenewal === 0) {
          await this.#options.addresses.renew(generation);
        }
        await sleep(retryDelayMs(this.#options.policy, tries, error), this.#signal);
        this.#signal.throwIfAborted();
        tries++;
      }
    }
  }

  async #attempt(part: Part, address: { url: string; headers: Record<string, string> }) {
    const { files, connections, onBytes } = this.#options;
    let sentBytes = 0;
    try {
      return await sendPart(connections, {
        file: files[part.file] as PreparedFile,
        part,
        address,
        signal: this.#signal,
        onBytes: (count) => {
          sentBytes += count;
          onBytes(count);
        },
      });
    } catch (error) {
      onBytes(-sentBytes);
      throw error;
    }
  }
}

function isTransientStatus(status: number | undefined): boolean {
  return status === undefined || status >= 500 || status === 408 || status === 429;
}
