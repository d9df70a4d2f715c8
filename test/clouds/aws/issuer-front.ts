import { createHash, createPublicKey } from "node:crypto";
import type { Server } from "node:http";
import { exportSPKI, importJWK, type CryptoKey, type JWK } from "jose";
import { listening, LoopbackServer } from "../../loopback.ts";
import { certificateOf } from "./certificate.ts";

/**
 * Where an issuer's two documents are published for Ceph 16, which takes no key without a
 * certificate (`x5c`) and knows the certificate by its hash. Google refuses keys with one; so the
 * product publishes none.
 */
export class IssuerFront extends LoopbackServer {
  /** Address of the service that it stands before; known when that has started. */
  upstream: string | undefined;
  /** Id of the one key that is published: Ceph 16 looks at a set's first. All when left out. */
  onlyKey: string | undefined;
  readonly #certificates = new Map<string, Buffer>();

  private constructor(server: Server) {
    super(server);
    server.on("request", (request, response) => {
      const isKeys = request.url === "/.well-known/jwks.json";
      const document = isKeys ? this.#published() : this.#discovery();
      document.then(
        (found) =>
          response.setHeader("content-type", "application/json").end(JSON.stringify(found)),
        () => response.writeHead(503).end(),
      );
    });
  }

  static async start(): Promise<IssuerFront> {
    return new IssuerFront(await listening());
  }

  async keys(): Promise<(JWK & { x5c: string[] })[]> {
    const { keys } = (await this.#fetch("/.well-known/jwks.json")) as { keys: JWK[] };
    return Promise.all(
      keys.map(async (key) => ({
        ...key,
        x5c: [(await this.#certificateOf(key)).toString("base64")],
      })),
    );
  }

  /** SHA-1 of each certificate, as identity providers list them. */
  async thumbprints(): Promise<string[]> {
    const keys = await this.keys();
    return keys.map(({ x5c }) =>
      createHash("sha1").update(Buffer.from(x5c[0], "base64")).digest("hex").toUpperCase(),
    );
  }

  async #published(): Promise<unknown> {
    const keys = await this.keys();
    return { keys: keys.filter(({ kid }) => this.onlyKey === undefined || kid === this.onlyKey) };
  }

  async #discovery(): Promise<unknown> {
    const found = (await this.#fetch("/.well-known/openid-configuration")) as object;
    return { ...found, issuer: this.origin, jwks_uri: `${this.origin}/.well-known/jwks.json` };
  }

  async #certificateOf(key: JWK): Promise<Buffer> {
    const id = key.kid ?? "";
    const kept = this.#certificates.get(id);
    if (kept !== undefined) return kept;
    const pem = await exportSPKI((await importJWK(key, "RS256")) as CryptoKey);
    const made = certificateOf(createPublicKey(pem));
    this.#certificates.set(id, made);
    return made;
  }

  async #fetch(path: string): Promise<unknown> {
    const reply = await fetch(`${this.upstream}${path}`);
    if (!reply.ok) throw new Error(`${path}: ${reply.status}`);
    return reply.json();
  }
}
