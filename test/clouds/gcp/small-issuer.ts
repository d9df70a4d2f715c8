import type { Server } from "node:http";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from "jose";
import { listening, LoopbackServer } from "../../loopback.ts";

/** The claims of a token; a test may choose any. */
export interface Claims {
  issuer?: string;
  subject: string;
  audience: string;
  /** Seconds from now; negative when it is over. */
  lifeSeconds?: number;
}

interface Key {
  id: string;
  privateKey: CryptoKey;
  jwk: JWK;
}

/** An issuer without a service around it, made with another library than the service's own. */
export class SmallIssuer extends LoopbackServer {
  readonly issuer = this.origin;
  readonly #published: Key[] = [];
  readonly #clock: () => number;

  private constructor(server: Server, clock: () => number) {
    super(server);
    this.#clock = clock;
  }

  static async start(clock: () => number = Date.now): Promise<SmallIssuer> {
    const server = await listening();
    const own = new SmallIssuer(server, clock);
    own.#published.push(await newKey());
    server.on("request", (request, response) => {
      const isKeys = request.url === "/.well-known/jwks.json";
      const discovery = { issuer: own.issuer, jwks_uri: `${own.issuer}/.well-known/jwks.json` };
      const body = isKeys ? { keys: own.#published.map(({ jwk }) => jwk) } : discovery;
      response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    });
    return own;
  }

  async mint(claims: Claims): Promise<string> {
    return sign(this.#published.at(-1)!, { issuer: this.issuer, ...claims }, this.#clock());
  }

  /** With a key that is published nowhere, but under the id of one that is. */
  async forge(claims: Claims): Promise<string> {
    const { id } = this.#published.at(-1)!;
    const key = { ...(await newKey()), id };
    return sign(key, { issuer: this.issuer, ...claims }, this.#clock());
  }

  async rotate(): Promise<void> {
    this.#published.push(await newKey());
  }
}

async function newKey(): Promise<Key> {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  const id = crypto.randomUUID();
  return { id, privateKey, jwk: { ...(await exportJWK(publicKey)), kid: id, alg: "RS256" } };
}

function sign(
  { id, privateKey }: Key,
  claims: Claims & { issuer: string },
  nowMs: number,
): Promise<string> {
  const nowSeconds = Math.floor(nowMs / 1000);
  const life = claims.lifeSeconds ?? 600;
  return new SignJWT()
    .setProtectedHeader({ alg: "RS256", kid: id, typ: "JWT" })
    .setIssuer(claims.issuer)
    .setSubject(claims.subject)
    .setAudience(claims.audience)
    .setIssuedAt(nowSeconds + Math.min(0, life))
    .setNotBefore(nowSeconds + Math.min(0, life))
    .setExpirationTime(nowSeconds + life)
    .setJti(crypto.randomUUID())
    .sign(privateKey);
}
