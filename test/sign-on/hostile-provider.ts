import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { listening, LoopbackServer } from "../loopback.ts";
import { client } from "./identity-provider.ts";

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

/** How its answers are false; each is true where nothing is said. */
export interface Lies {
  claims?: Record<string, unknown>;
  nonce?: string;
  /** The ID token says so. */
  issuer?: string;
  audience?: string;
  isUnsigned?: boolean;
  isSignedBySomebodyElse?: boolean;
  /** In the metadata. */
  metadata?: Record<string, unknown>;
  /** Bytes of the reply to a token request. */
  replyBytes?: number;
  redirects?: boolean;
}

/** A provider that answers at once, and lies as it is told to. */
export class HostileProvider extends LoopbackServer {
  lies: Lies = {};
  /** Bodies of token requests, in the order in which they came. */
  readonly asked: URLSearchParams[] = [];
  /** And what they had in the header Authorization. */
  readonly authorizations: (string | undefined)[] = [];
  readonly issuer = this.origin;
  readonly #keys: Keys;
  readonly #others: Keys;
  readonly #nonces = new Map<string, string>();
  #codes = 0;

  private constructor(server: Server, keys: Keys, others: Keys) {
    super(server);
    this.#keys = keys;
    this.#others = others;
    server.on("request", (request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<HostileProvider> {
    return new HostileProvider(
      await listening(),
      await generateKeyPair("RS256"),
      await generateKeyPair("RS256"),
    );
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.issuer);
    const json = (body: unknown) => {
      response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    };
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json({ ...this.#metadata(), ...this.lies.metadata });
      case "/jwks":
        return json({
          keys: [{ ...(await exportJWK(this.#keys.publicKey)), kid: "k", alg: "RS256" }],
        });
      case "/authorize":
        return this.#authorize(url, response);
      case "/token":
        this.authorizations.push(request.headers.authorization);
        return this.#token(await bodyOf(request), response, json);
      default:
        response.writeHead(404).end();
    }
  }

  #metadata(): Record<string, unknown> {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    };
  }

  #authorize({ searchParams }: URL, response: ServerResponse): void {
    const code = `code-${++this.#codes}`;
    this.#nonces.set(code, searchParams.get("nonce") ?? "");
    const back = new URL(searchParams.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", searchParams.get("state") ?? "");
    response.writeHead(302, { location: back.href }).end();
  }

  async #token(
    body: URLSearchParams,
    response: ServerResponse,
    json: (body: unknown) => void,
  ): Promise<void> {
    this.asked.push(body);
    const { replyBytes, redirects } = this.lies;
    if (redirects === true) {
      response.writeHead(307, { location: `${this.issuer}/elsewhere` }).end();
      return;
    }
    const id_token = await this.#idToken(this.#nonces.get(body.get("code") ?? "") ?? "");
    const padding = replyBytes === undefined ? {} : { padding: "x".repeat(replyBytes) };
    json({ access_token: "a", token_type: "Bearer", expires_in: 60, id_token, ...padding });
  }

  async #idToken(nonce: string): Promise<string> {
    const { lies } = this;
    const nowSeconds = Math.floor(Date.now() / 1_000);
    const payload = {
      iss: lies.issuer ?? this.issuer,
      aud: lies.audience ?? client.id,
      iat: nowSeconds,
      exp: nowSeconds + 300,
      nonce: lies.nonce ?? nonce,
      ...lies.claims,
    };
    if (lies.isUnsigned === true) {
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
      return `${part({ alg: "none" })}.${part(payload)}.`;
    }
    const { privateKey } = lies.isSignedBySomebodyElse === true ? this.#others : this.#keys;
    return new SignJWT(payload).setProtectedHeader({ alg: "RS256", kid: "k" }).sign(privateKey);
  }
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = "";
  for await (const piece of request) text += String(piece);
  return new URLSearchParams(text);
}
