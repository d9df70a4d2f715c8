import type { Storage, Write } from "../../storage/storage.ts";

/** The uses recorded for each kind of credential, and their precision. */
const kinds = {
  api_key: { operation: "apiKey.used", intervalMs: 60_000 },
  session: { operation: "session.used", intervalMs: 300_000 },
  personal_token: { operation: "personalToken.used", intervalMs: 300_000 },
  scim: { operation: "scim.used", intervalMs: 300_000 },
  oauth: { operation: "oauth.used", intervalMs: 300_000 },
} as const;
const delayMs = 1_000;

type Kind = keyof typeof kinds;

/**
 * Writes the uses of credentials in groups, each credential at most once an interval: for people to
 * read, not exact.
 */
export class CredentialUses {
  readonly #clock: () => number;
  readonly #onFailed: (error: unknown) => void;
  readonly #uses = new Map<string, { kind: Kind; id: string; atMs: number }>();

  constructor(clock: () => number, onFailed: (error: unknown) => void) {
    this.#clock = clock;
    this.#onFailed = onFailed;
  }

  note(storage: Storage, kind: Kind, id: string, lastUsedAtMs: number | null): void {
    const nowMs = this.#clock();
    if (lastUsedAtMs !== null && nowMs - lastUsedAtMs < kinds[kind].intervalMs) return;
    const key = `${kind} ${id}`;
    if (this.#uses.has(key)) return;
    if (this.#uses.size === 0) setTimeout(() => void this.#write(storage), delayMs).unref();
    this.#uses.set(key, { kind, id, atMs: nowMs });
  }

  async #write(storage: Storage): Promise<void> {
    const all = [...this.#uses.values()];
    // Cleared before the write: uses noted meanwhile belong to the next one.
    this.#uses.clear();
    const writes = (Object.keys(kinds) as Kind[]).flatMap((kind): Write[] => {
      const uses = all.filter((use) => use.kind === kind).map(({ id, atMs }) => ({ id, atMs }));
      return uses.length === 0
        ? []
        : [{ kind: "call", name: kinds[kind].operation, input: { uses } }];
    });
    try {
      await storage.write(writes);
    } catch (error) {
      this.#onFailed(error);
    }
  }
}
