import { Lease } from "../../storage/background/lease.ts";
import type { Task } from "../../storage/background/runner.ts";
import type { IssuerKey } from "../rows/issuer/key.ts";
import { type Storage, writeOne } from "../../storage/storage.ts";
import { isAmong, type PublishedKey, publishedKeys } from "./publication.ts";
import type { Issuer } from "./issuer.ts";

export interface IssuerRotationSettings {
  issuer: Issuer;
  storage: Pick<Storage, "write">;
  /** The documents are fetched elsewhere than from this service (`--issuer-url`). */
  isPublishedElsewhere: boolean;
  /** Whether several nodes share the database: one of them rotates. */
  sharesDatabase: boolean;
  clock: () => number;
  warn: (message: string, error: unknown) => void;
}

/** Time that a key is published before it signs, and for which it then signs. */
export const rotateAfterMs = 90 * 24 * 60 * 60_000;

const lookEveryMs = 60 * 60_000;

/** Rotates the issuer's keys every 90 days, once there are any, and forgets the retired ones. */
export class IssuerRotation implements Task {
  readonly failure = "The keys of the token issuer were not rotated; it is tried again in an hour.";
  readonly everyMs = lookEveryMs;
  /** Delay after a start; short, so that a service that is started often rotates too. */
  readonly firstMs = 60_000;
  readonly jitterMs = 5 * 60_000;
  readonly lease: Lease | undefined;
  readonly #settings: IssuerRotationSettings;
  /** The last warning about the published keys; undefined when they were right. */
  #warned: string | undefined;

  constructor(settings: IssuerRotationSettings) {
    const { storage, sharesDatabase } = settings;
    this.#settings = settings;
    if (!sharesDatabase) return;
    this.lease = new Lease("issuer", 2 * lookEveryMs, (claim) =>
      writeOne(storage, "background.lease", claim),
    );
  }

  /** Checks the published keys once, and rotates when due. */
  async round(stopped: AbortSignal): Promise<void> {
    const { issuer, storage, clock, isPublishedElsewhere } = this.#settings;
    const keys = await issuer.stored();
    const next = keys.find(({ state }) => state === "next");
    const active = keys.find(({ state }) => state === "active");
    if (next === undefined || active === undefined) return;
    if (keys.some(({ state }) => state === "retired")) {
      await writeOne(storage, "issuer.forget", {});
    }
    const isDue = clock() - next.changedAtMs >= rotateAfterMs;
    if (isPublishedElsewhere) {
      const current = { active, next, isDue };
      if (!(await this.#isPublished(current, stopped))) return;
    }
    if (!isDue || stopped.aborted) return;
    const wanted = { nextId: next.id, publishedMsMin: rotateAfterMs, withdraws: false };
    await issuer.rotate({ ...wanted, by: { actor: "service", address: null } });
  }

  /** Looks at the published set even when nothing is due: no cloud works without the signer. */
  async #isPublished({ active, next, isDue }: Current, stopped: AbortSignal): Promise<boolean> {
    const { issuerUrl } = this.#settings.issuer;
    let published: PublishedKey[];
    try {
      published = await publishedKeys(issuerUrl, stopped);
    } catch (error) {
      if (stopped.aborted) return false;
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
    if (this.#warned === sentence) return;
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
