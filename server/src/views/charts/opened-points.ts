import { limits } from "@lossless/protocol/limits";
import { ServiceError } from "../../ground/errors.ts";
import type { DrawnSource } from "../../points/drawn-sources.ts";

/** Points that one request decodes, each source once however often it is read. */
export class OpenedPoints {
  readonly #signal: AbortSignal | undefined;
  #left: number = limits.overviewPointsMax;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Lifts the limit, for points that are sent as they are read. */
  unlimit(): void {
    this.#left = Infinity;
  }

  /** Returns sources whose points are counted here, and which stop when the request is aborted. */
  counted(sources: readonly DrawnSource[]): DrawnSource[] {
    return sources.map((source) => this.#counted(source));
  }

  #counted({ summary, ...source }: DrawnSource): DrawnSource {
    let isOpened = false;
    const until = <Result>(work: () => Promise<Result>, opens = true) => {
      return async () => {
        this.#signal?.throwIfAborted();
        if (opens && !isOpened) this.#take(source.count);
        isOpened ||= opens;
        return work();
      };
    };
    return {
      ...source,
      read: until(() => source.read()),
      ...(summary && {
        summary: {
          ...summary,
          grains: until(() => summary.grains(), !summary.isStored),
          open: until(() => summary.open()),
        },
      }),
    };
  }

  #take(count: number): void {
    this.#left -= count;
    if (this.#left >= 0) return;
    throw new ServiceError(
      "bad_request",
      `More than ${limits.overviewPointsMax} points would have to be read for this. Ask for fewer ` +
        "series or a smaller range.",
    );
  }
}
