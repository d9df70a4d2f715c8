import { AsyncResource } from "node:async_hooks";
import type { Role } from "@lossless/protocol";
import type { GuestScope } from "../../accounts/rows/guests/links.ts";
import type {
  Credential,
  Found,
  Scope,
  SecretKind,
} from "../../accounts/rows/organizations/credential.ts";
import { ServiceError } from "../../ground/errors.ts";
import { hashSecret } from "../../ground/secrets.ts";
import { CredentialUses } from "./credential-uses.ts";
import type { Storage } from "../../storage/storage.ts";

/** The holder of the credential that a request carries. */
export type Caller =
  | PersonCaller
  | { kind: "api_key"; keyId: string; organizationId: string; organizationName: string }
  | ScimCaller
  | GuestCaller
  | {
      kind: "experiment_token";
      experimentId: string;
      organizationId: string;
      tokenHash: Uint8Array;
      expiresAtMs: number;
    };

/** Somebody with a guest link; guest-scope.ts says what they reach. */
export interface GuestCaller extends GuestScope {
  kind: "guest";
  linkId: string;
  organizationId: string;
  organizationName: string;
  expiresAtMs: number;
}

/** The identity provider of an organization. */
export interface ScimCaller {
  kind: "scim";
  /** SHA-256 of its token. */
  tokenHash: Uint8Array;
  organizationId: string;
  organizationName: string;
}

/** A signed-in person: by an app session, or by a command-line OAuth token. */
export interface PersonCaller {
  kind: "session" | "oauth";
  /** SHA-256 of the session's or the access token's secret. */
  hash: Uint8Array;
  personId: string;
  email: string;
  expiresAtMs: number;
  /**
   * Set where an organization's provider vouched, or by a personal token: the person acts there
   * alone.
   */
  onlyOrganization: string | null;
  /** Scope of the credential; sign-ins have `role`. */
  scope: Scope;
  /** The personal token of the request; null: a sign-in. */
  tokenId: string | null;
  /** The organization that the request acts for, with the person's role in it now. */
  organization: { id: string; name: string; role: Role } | undefined;
}

/** The organization for which a caller acts, if any. */
export function organizationIdOf(caller: Caller): string | undefined {
  return "organizationId" in caller ? caller.organizationId : caller.organization?.id;
}

/**
 * Returns the holder of the share that a request takes: the organization; a person who has none yet
 * is a holder of their own, and so are all guests of an organization together.
 */
export function holderOf(caller: Caller): string {
  if (caller.kind === "guest") return `guests of ${caller.organizationId}`;
  const organizationId = organizationIdOf(caller);
  if (organizationId !== undefined) return organizationId;
  return "personId" in caller ? caller.personId : "";
}

type Token = Extract<Caller, { kind: "experiment_token" }> & { keptUntilMs: number };

/** A secret of the right form, and its kind. */
export interface PresentedSecret {
  kind: SecretKind;
  secret: string;
  /** The header x-svc-organization. */
  organization: string | undefined;
}

interface Question {
  kind: SecretKind;
  hash: Uint8Array;
  organization: string | null;
}

interface Asked {
  /** Name under which a token is kept. */
  key: string;
  question: Question;
  found: PromiseWithResolvers<Caller | undefined>;
}

/** State when a look-up began. */
interface Before {
  changes: number;
  atMs: number;
}

/** Entries are about 200 bytes; beyond this the oldest are looked up again. */
const cachedTokensMax = 20_000;
/** Reads at once: one whose connection hangs does not hold up the others. */
const readsMax = 2;
/** Look-ups of one read: a flood of requests with bad credentials holds up others for no longer. */
const readLookUpsMax = 250;
/**
 * The operator deletes an organization beside a running service: it is noticed within this time.
 */
const keptMs = 5_000;

/**
 * Looks credentials up by their SHA-256. API keys are looked up for every request, as another
 * process may revoke them. Look-ups of one turn of the event loop are one read.
 *
 * Experiment tokens are kept in memory when this process is the only one that changes them (the
 * embedded mode, `cachesTokens`): `forget` runs before the reply to a request that changed a token,
 * and a look-up that began before it is not kept. So no request that starts after that reply passes
 * with an ended token (M12).
 */
export class Credentials {
  readonly #cachesTokens: boolean;
  readonly #clock: () => number;
  readonly #tokens = new Map<string, Token>();
  readonly #keysByExperiment = new Map<string, Set<string>>();
  readonly #gathered = new Map<string, Asked>();
  readonly #uses: CredentialUses;
  /** Grows with every change of a token. */
  #changes = 0;
  /** Number of reads that run. */
  #running = 0;
  /** Looks up what has gathered since as many run as may; set while such wait. */
  #next: (() => void) | undefined;

  constructor(cachesTokens: boolean, clock: () => number, onUseFailed: (error: unknown) => void) {
    this.#cachesTokens = cachesTokens;
    this.#clock = clock;
    this.#uses = new CredentialUses(clock, onUseFailed);
  }

  /**
   * Finds the valid credential with this secret; `nowMs` is the time at which the request started.
   */
  find(
    storage: Storage,
    { kind, secret, organization }: PresentedSecret,
    nowMs: number,
  ): Promise<Caller | undefined> {
    const hash = hashSecret(secret);
    const key = Buffer.from(hash.buffer, hash.byteOffset, hash.length).toString("base64");
    const cached = this.#tokens.get(key);
    if (cached !== undefined && cached.keptUntilMs > nowMs) {
      return Promise.resolve(cached.expiresAtMs > nowMs ? cached : undefined);
    }
    // Only these act for the organization that the request names.
    const named = kind === "oauth" ? (organization ?? null) : null;
    const asked = named === null ? key : `${key} ${named}`;
    let waiting = this.#gathered.get(asked);
    if (waiting === undefined) {
      const question = { kind, hash, organization: named };
      waiting = { key, question, found: Promise.withResolvers() };
      if (this.#gathered.size === 0) setImmediate(() => this.#lookUpGathered(storage));
      this.#gathered.set(asked, waiting);
    }
    return waiting.found.promise;
  }

  /**
   * Drops a cached token of this experiment: one was issued, shortened or ended. To be called
   * before the reply.
   */
  forget(experimentId: string): void {
    this.#changes += 1;
    for (const key of this.#keysByExperiment.get(experimentId) ?? []) this.#tokens.delete(key);
    this.#keysByExperiment.delete(experimentId);
  }

  /** Drops all cached tokens: an organization was deleted. */
  forgetAll(): void {
    this.#changes += 1;
    this.#tokens.clear();
    this.#keysByExperiment.clear();
  }

  /**
   * Looks up together what has gathered: a transaction of PostgreSQL for each costs its server more
   * than the points of a small request. While as many reads as may run do, more gather.
   */
  #lookUpGathered(storage: Storage): void {
    if (this.#running === readsMax) {
      this.#next = AsyncResource.bind(() => this.#lookUpGathered(storage));
      return;
    }
    const gathered = [...this.#gathered].slice(0, readLookUpsMax);
    for (const [name] of gathered) this.#gathered.delete(name);
    this.#running++;
    const asked = gathered.map(([, one]) => one);
    void this.#lookUp(storage, asked).finally(() => {
      this.#running--;
      const next = this.#next;
      this.#next = undefined;
      next?.();
    });
    if (this.#gathered.size > 0) this.#lookUpGathered(storage);
  }

  /** Never rejects. */
  async #lookUp(storage: Storage, asked: readonly Asked[]): Promise<void> {
    const before = { changes: this.#changes, atMs: this.#clock() };
    const questions = asked.map(({ question }) => question);
    try {
      const answers = await storage.read("credentials.find", { questions });
      for (const [at, one] of asked.entries()) this.#answer(storage, one, answers[at], before);
    } catch (error) {
      // A defect or a damaged row takes none of the others with it: each is looked up by itself.
      if (asked.length > 1 && !isUnavailable(error))
        await Promise.all(asked.map((one) => this.#lookUp(storage, [one])));
      else for (const { found } of asked) found.reject(error);
    }
  }

  #answer(storage: Storage, asked: Asked, answer: Found, before: Before): void {
    const { found } = asked;
    if (answer === null) found.resolve(undefined);
    else if (answer.kind === "refused")
      found.reject(new ServiceError("unauthorized", answer.message));
    else found.resolve(this.#callerOf(storage, asked, answer, before));
  }

  #callerOf(
    storage: Storage,
    { key, question: { hash } }: Asked,
    found: Credential,
    before: Before,
  ): Caller {
    switch (found.kind) {
      case "api_key": {
        const { keyId, organization, lastUsedAtMs } = found;
        this.#uses.note(storage, "api_key", keyId, lastUsedAtMs);
        const { id: organizationId, name: organizationName } = organization;
        return { kind: "api_key", keyId, organizationId, organizationName };
      }
      case "scim": {
        const { organization, lastUsedAtMs } = found;
        const { id: organizationId, name: organizationName } = organization;
        this.#uses.note(storage, "scim", organizationId, lastUsedAtMs);
        return { kind: "scim", tokenHash: hash, organizationId, organizationName };
      }
      case "guest": {
        const { organization, ...guest } = found;
        const { id: organizationId, name: organizationName } = organization;
        return { ...guest, organizationId, organizationName };
      }
      case "session":
      case "oauth": {
        const { grantId, lastUsedAtMs, ...person } = found;
        const id = grantId ?? found.tokenId ?? Buffer.from(hash).toString("base64");
        const use = found.tokenId === null ? found.kind : "personal_token";
        this.#uses.note(storage, use, id, lastUsedAtMs);
        return { ...person, hash, organization: found.organization ?? undefined };
      }
      case "experiment_token": {
        const token: Token = { ...found, tokenHash: hash, keptUntilMs: before.atMs + keptMs };
        if (this.#cachesTokens && before.changes === this.#changes) this.#keep(key, token);
        return token;
      }
    }
  }

  #keep(key: string, token: Token): void {
    if (this.#tokens.size >= cachedTokensMax) {
      const [oldest] = this.#tokens.values();
      for (const one of this.#keysByExperiment.get(oldest.experimentId) ?? [])
        this.#tokens.delete(one);
      this.#keysByExperiment.delete(oldest.experimentId);
    }
    this.#tokens.set(key, token);
    const keys = this.#keysByExperiment.get(token.experimentId);
    if (keys === undefined) this.#keysByExperiment.set(token.experimentId, new Set([key]));
    else keys.add(key);
  }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === "storage_unavailable";
