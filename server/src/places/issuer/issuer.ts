import { randomUUID } from "node:crypto";
import { endpoints, type ReplyBody } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { isPublished, type IssuerKey, tokenLifeMs } from "../rows/issuer/key.ts";
import type { WantedRotation } from "../rows/issuer/rotate.ts";
import type { Sealing } from "../../ground/sealing.ts";
import { type Storage, writeOne } from "../../storage/storage.ts";
import type { TokenIssuer } from "../clouds/cloud.ts";
import { makeKey, signToken } from "./key-pair.ts";

export interface IssuerSettings {
  storage: Pick<Storage, "write"> & { read: ReadKeys };
  sealing: Sealing;
  /** The issuer's address as in tokens, without a slash at its end. */
  issuerUrl: string;
  clock: () => number;
}

type ReadKeys = (name: "issuer.keys", input: Record<string, never>) => Promise<IssuerKey[]>;

/** The documents that verifiers fetch below the issuer's address. */
export interface IssuerDocuments {
  configuration: ReplyBody<"readIssuer">;
  keys: ReplyBody<"readIssuerKeys">;
}

/**
 * Time by which the start of a token's validity precedes its making: clocks of clouds may be
 * behind.
 */
const backdatedMs = 60_000;
const service: WantedRotation["by"] = { actor: "service", address: null };

/**
 * The service as an OpenID Connect issuer, as far as clouds need one: it signs tokens and publishes
 * the keys to verify them. Keys are read from the database for each token, so that every node signs
 * with the same one; they are made when they are first needed.
 */
export class Issuer implements TokenIssuer {
  readonly issuerUrl: string;
  readonly #settings: IssuerSettings;
  #making: Promise<void> | undefined;

  constructor(settings: IssuerSettings) {
    this.issuerUrl = settings.issuerUrl;
    this.#settings = settings;
  }

  async mint({ subject, audience }: { subject: string; audience: string }): Promise<string> {
    const { sealing, clock } = this.#settings;
    const keys = await this.#keys();
    const active = keys.find(({ state }) => state === "active");
    if (active === undefined || active.sealedKey === null) {
      throw new Error("BUG: the token issuer has no active key after they were made");
    }
    const issuedAt = Math.floor((clock() - backdatedMs) / 1_000);
    const claims = {
      iss: this.issuerUrl,
      sub: subject,
      aud: audience,
      iat: issuedAt,
      nbf: issuedAt,
      exp: issuedAt + tokenLifeMs / 1_000,
      jti: randomUUID(),
    };
    const { id, sealedKey } = active;
    return signToken({ id, sealedKey }, claims, sealing);
  }

  async documents(): Promise<IssuerDocuments> {
    const nowMs = this.#settings.clock();
    const published = (await this.#keys()).filter((key) => isPublished(key, nowMs));
    return {
      configuration: configurationOf(this.issuerUrl),
      keys: {
        keys: published.map(({ id, publicKey: { kty, n, e } }) => {
          return { kty, n, e, alg: "RS256", use: "sig", kid: id };
        }),
      },
    };
  }

  /** Returns the stored keys; empty while none was needed. */
  stored(): Promise<IssuerKey[]> {
    return this.#settings.storage.read("issuer.keys", {});
  }

  /**
   * Activates the key `nextId` when it has been published long enough. Returns false when it has
   * not, or when another node has rotated meanwhile.
   */
  async rotate(wanted: Omit<WantedRotation, "fresh">): Promise<boolean> {
    const { storage, sealing, clock } = this.#settings;
    const fresh = await makeKey(sealing, clock());
    return (await writeOne(storage, "issuer.rotate", { ...wanted, fresh })).isDone;
  }

  async #keys(): Promise<IssuerKey[]> {
    const keys = await this.stored();
    if (isComplete(keys)) return keys;
    this.#making ??= this.#make().finally(() => (this.#making = undefined));
    await this.#making;
    const made = await this.stored();
    if (isComplete(made)) return made;
    throw new ServiceError("storage_unavailable", "The keys of the token issuer were not stored.");
  }

  async #make(): Promise<void> {
    const { storage, sealing, clock } = this.#settings;
    const nowMs = clock();
    const [active, next] = await Promise.all([makeKey(sealing, nowMs), makeKey(sealing, nowMs)]);
    await writeOne(storage, "issuer.add", { active, next, by: service });
  }
}

function isComplete(keys: readonly IssuerKey[]): boolean {
  return ["active", "next"].every((state) => keys.some((key) => key.state === state));
}

/** OpenID Connect Discovery 1.0, section 3, without the parts for the sign-in of people. */
function configurationOf(issuer: string): IssuerDocuments["configuration"] {
  return {
    issuer,
    jwks_uri: issuer + endpoints.readIssuerKeys.path,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    scopes_supported: ["openid"],
    claims_supported: ["iss", "sub", "aud", "iat", "nbf", "exp", "jti"],
  };
}
