import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { writeOne } from "../storage/storage.ts";
import type { Storage } from "../storage/storage.ts";
import { publishedKeyIds } from "./issuer-publication.ts";
import type { Issuer } from "./issuer.ts";

export interface IssuerRotationSettings {
  issuer: Issuer;
  storage: Pick<Storage, "write">;
  /** The documents are fetched elsewhere than from this service (`--issuer-url`). */
  isPublishedElsewhere: boolean;
  /** Several nodes share the database: one of them rotates. */
  sharesDatabase: boolean;
  clock: () => number;
  warn: (message: string, error: unknown) => void;
}

/** For so long a key has been published before it signs, and so long it signs. */
export const rotateAfterMs = 90 * 24 * 60 * 60_000;

/** After a start, so that a service that is started often rotates too. */
const firstLookMs = 60_000;
const lookEveryMs = 60 * 60_000;
const jitterMs = 5 * 60_000;
const leaseMs = 2 * lookEveryMs;

/** Rotates the issuer's keys every 90 days, once there are any, and forgets the retired ones. */
export class IssuerRotation implements AsyncDisposable {
  readonly #settings: IssuerRotationSettings;
  readonly #node = randomUUID();
  /** The key for which the warning was given that it is not published. */
  #warnedOf: string | undefined;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(settings: IssuerRotationSettings) {
    this.#settings = settings;
  }

  /** Every hour, until it is disposed. */
  start(): void {
    this.#running = this.#loop();
  }

  /** One look. */
  async look(): Promise<void> {
    const { issuer, storage, clock } = this.#settings;
    const keys = await issuer.stored();
    const next = keys.find(({ state }) => state === "next");
    if (next === undefined || !(await this.#leads())) return;
    if (keys.some(({ state }) => state === "retired")) {
      await writeOne(storage, "issuer.forget", {});
    }
    if (clock() - next.changedAtMs < rotateAfterMs) return;
    if (!(await this.#isPublished(next.id)) || this.#stop.signal.aborted) return;
    const wanted = { nextId: next.id, publishedMsMin: rotateAfterMs, withdraws: false };
    await issuer.rotate({ ...wanted, by: { actor: "service", address: null } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #loop(): Promise<void> {
    const stopped = this.#stop.signal;
    for (let pauseMs = firstLookMs; ; pauseMs = lookEveryMs) {
      await pause(pauseMs + Math.random() * jitterMs, stopped);
      if (stopped.aborted) return;
      try {
        await this.look();
      } catch (error) {
        if (stopped.aborted) return;
        const { warn } = this.#settings;
        warn("The keys of the token issuer were not rotated; it is tried again in an hour.", error);
      }
    }
  }

  async #leads(): Promise<boolean> {
    const { storage, sharesDatabase } = this.#settings;
    if (!sharesDatabase) return true;
    const lease = { work: "issuer", node: this.#node, leaseMs } as const;
    return (await writeOne(storage, "background.lease", lease)).held;
  }

  async #isPublished(keyId: string): Promise<boolean> {
    const { issuer, isPublishedElsewhere, warn } = this.#settings;
    if (!isPublishedElsewhere) return true;
    let cause: unknown;
    try {
      if ((await publishedKeyIds(issuer.issuerUrl, this.#stop.signal)).has(keyId)) return true;
    } catch (error) {
      cause = error;
    }
    if (this.#warnedOf !== keyId && !this.#stop.signal.aborted) {
      warn(unpublishedSentence(issuer.issuerUrl, keyId), cause);
      this.#warnedOf = keyId;
    }
    return false;
  }
}

function pause(ms: number, stopped: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal: stopped }).catch(() => undefined);
}

function unpublishedSentence(issuerUrl: string, keyId: string): string {
  return (
    `The token issuer's next key ${keyId} is due and is not published at ${issuerUrl}: the present key goes on. ` +
    "Run lossless issuer export DIR and publish both files there."
  );
}
