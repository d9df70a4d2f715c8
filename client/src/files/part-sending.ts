import type { SignedUpload } from "../artifacts.ts";
import { ProtocolError, StoreError } from "../errors.ts";
import type { RetryPolicy } from "../retry.ts";
import type { SignedPart } from "../wire.ts";
import type { PreparedFile } from "./content.ts";
import { inParallel } from "./in-parallel.ts";
import { type Part, sendPart, type SentPart } from "./part.ts";
import type { RenewedAddresses } from "./renewed-addresses.ts";
import type { StoreConnections } from "./store-connections.ts";
import { storeTries } from "./store-tries.ts";

export interface PartSendingOptions {
  files: readonly PreparedFile[];
  addresses: RenewedAddresses<SignedUpload>;
  connections: StoreConnections;
  parallel: number;
  policy: RetryPolicy;
  signal: AbortSignal;
  onSent: (part: Part, sent: SentPart) => void;
  /** Reports bytes sent; a negative count takes back those of a failed attempt. */
  onBytes: (count: number) => void;
}

/**
 * Failures of a part in a row, with no other part arriving meanwhile, after which the location is
 * blamed.
 */
const locationTriesMax = 8;

/** The location accepts nothing at the moment; another one may. */
export class LocationFailing extends StoreError {
  override name = "LocationFailing";
}

/** Sends the parts of one upload, several at a time, each until it has arrived. */
export class PartSending {
  readonly #options: PartSendingOptions;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #lastArrivalMs = -Infinity;

  constructor(options: PartSendingOptions) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#stop.signal]);
  }

  /**
   * Sends the parts. Throws LocationFailing, StoreError, FileChangedError or SupersededError once
   * no request is running.
   */
  async send(parts: readonly Part[]): Promise<void> {
    await inParallel(this.#options.parallel, parts, async (part) => {
      try {
        this.#options.onSent(part, await this.#arrived(part));
      } catch (error) {
        // The upload fails, so the others stop; the first error is the cause, not theirs.
        this.#stop.abort(this.#signal.aborted ? this.#signal.reason : error);
        throw this.#stop.signal.reason;
      }
    });
  }

  async #arrived(part: Part): Promise<SentPart> {
    const startedAtMs = performance.now();
    const { addresses, policy } = this.#options;
    const sent = await storeTries({
      addresses,
      policy,
      signal: this.#signal,
      attempt: (upload) => this.#attempt(part, addressOf(part, upload)),
      hopeless: (error, tries) => {
        if (tries < locationTriesMax || this.#lastArrivalMs > startedAtMs) return undefined;
        return new LocationFailing(error.message, error.status, error);
      },
    });
    this.#lastArrivalMs = performance.now();
    return sent;
  }

  async #attempt(part: Part, address: SignedPart): Promise<SentPart> {
    const { files, connections, onBytes } = this.#options;
    let sentBytes = 0;
    try {
      return await sendPart(connections, {
        file: files[part.file],
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

function addressOf({ file, number }: Part, { files }: SignedUpload): SignedPart {
  const address = files[file]?.parts[number];
  if (address === undefined) throw new ProtocolError("the upload has lost a part");
  return address;
}
