import type { CredentialUse } from "../../accounts/rows/credential-uses.ts";
import type { Storage } from "../../storage/storage.ts";

type Kind = CredentialUse["kind"];

/** The precision of the uses that are recorded, for each kind of credential. */
const intervalsMs: Readonly<Record<Kind, number>> = {
  api_key: 60_000,
  session: 300_000,
  personal_token: 300_000,
  scim: 300_000,
  oauth: 300_000,
};
const delayMs = 1_000;

/**
 * Writes the uses of credentials in groups, each credential at most once an interval: for people to
 * read, not exact.
 */
export class CredentialUses {
  readonly #clock: () => number;
  readonly #onFailed: (error: unknown) => void;
  readonly #uses = new Map<string, CredentialUse>();

  constructor(clock: () => number, onFailed: (error: unknown) => void) {
    this.#clock = clock;
    this.#onFailed = onFailed;
  }

  note(storage: Storage, kind: Kind, id: string, lastUsedAtMs: number | null): void {
    const nowMs = this.#clock();
    if (lastUsedAtMs !== null && nowMs - lastUsedAtMs < intervalsMs[kind]) return;
    const key = `${kind} ${id}`;
    if (this.#uses.has(key)) return;
    if (this.#uses.size === 0) setTimeout(() => void this.#write(storage), delayMs).unref();
    this.#uses.set(key, { kind, id, atMs: nowMs });
  }

  async #write(storage: Storage): Promise<void> {
    const uses = [...this.#uses.values()];
    // Cleared before the write: uses noted meanwhile belong to the next one.
    this.#uses.clear();
    try {
      await storage.write([{ kind: "call", name: "credential.used", input: { uses } }]);
    } catch (error) {
      this.#onFailed(error);
    }
  }
}
