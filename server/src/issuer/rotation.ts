import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { IssuerKey } from "./keys/key.ts";
import { writeOne } from "../storage/storage.ts";
import type { Storage } from "../storage/storage.ts";
import { isAmong, publishedKeys } from "./publication.ts";
import type { PublishedKey } from "./publication.ts";
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
  /** The last warning of what is published; undefined when that was right. */
  #warned: string | undefined;
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
    const { issuer, storage, clock, isPublishedElsewhere } = this.#settings;
    const keys = await issuer.stored();
    const next = keys.find(({ state }) => state === "next");
    const active = keys.find(({ state }) => state === "active");
    if (next === undefined || active === undefined || !(await this.#leads())) return;
    if (keys.some(({ state }) => state === "retired")) {
      await writeOne(storage, "issuer.forget", {});
    }
    const isDue = clock() - next.changedAtMs >= rotateAfterMs;
    if (isPublishedElsewhere) {
      const current = { active, next, isDue };
      if (!(await this.#isPublished(current))) return;
    }
    if (!isDue || this.#stop.signal.aborted) return;
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

  /** Looks at the published set even when nothing is due: while the key that signs is not in it, no cloud works. */
  async #isPublished({ active, next, isDue }: Current): Promise<boolean> {
    const { issuerUrl } = this.#settings.issuer;
    let published: PublishedKey[];
    try {
      published = await publishedKeys(issuerUrl, this.#stop.signal);
    } catch (error) {
      const loss = "connected clouds may refuse all tokens, and the keys are not rotated";
      this.#warnOnce(
        `The token issuer's documents are not at ${issuerUrl}: ${loss}. ${remedy}`,
        error,
      );
      return false;
    }
    if (!isAmong(published, active)) {
      const loss = "connected clouds refuse all tokens";
      this.#warnOnce(
        `The key ${active.id} that signs is not published at ${issuerUrl}: ${loss}. ${remedy}`,
      );
    } else if (isDue && !isAmong(published, next)) {
      const loss = "the present one goes on";
      this.#warnOnce(
        `The next key ${next.id} is due and is not published at ${issuerUrl}: ${loss}. ${remedy}`,
      );
    } else this.#warned = undefined;
    return isAmong(published, next);
  }

  /** The hours repeat it; the log does not. */
  #warnOnce(sentence: string, error?: unknown): void {
    if (this.#warned === sentence || this.#stop.signal.aborted) return;
    this.#warned = sentence;
    this.#settings.warn(sentence, error);
  }
}

interface Current {
  active: IssuerKey;
  next: IssuerKey;
  /** The next key is old enough to sign. */
  isDue: boolean;
}

const remedy = "Run lossless issuer export DIR and publish both files there.";

function pause(ms: number, stopped: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal: stopped }).catch(() => undefined);
}
