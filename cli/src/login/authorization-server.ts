import { hostname } from "node:os";
import { endpoints } from "@lossless/client";
import { CommandError } from "../command.ts";

/** The only client id that the service accepts. */
export const clientId = "lossless-cli";

/** Metadata of the service's sign-in (RFC 8414). */
export type AuthorizationServer = Record<"issuer" | (typeof endpointNames)[number], string>;

export interface Tokens {
  accessToken: string;
  refreshToken: string;
  expiresAtMs: number;
}

export interface DeviceCodes {
  device_code: string;
  user_code: string;
  verification_uri: string;
  expires_in: number;
  interval?: number;
}

/** A refusal by the service: `code` is one of RFC 6749 5.2 or RFC 8628 3.5. */
export class OauthError extends CommandError {
  override name = "OauthError";
  readonly code: string;
  constructor(code: string, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

/** No reply, or one that asks to retry later (5xx, 429). */
export class OutOfReach extends CommandError {
  override name = "OutOfReach";
}

const timeoutMs = 20_000;
const endpointNames = [
  "authorization_endpoint",
  "token_endpoint",
  "device_authorization_endpoint",
  "revocation_endpoint",
] as const;

/** Reads the service's endpoints. The metadata must be about the service itself (RFC 8414 3.3). */
export async function discover(url: string): Promise<AuthorizationServer> {
  const { status, body } = await exchange(url + endpoints.oauthMetadata.path, {});
  if (status !== 200 || typeof body["issuer"] !== "string") {
    throw new CommandError(`${url} does not offer command line sign-in; is this the service?`);
  }
  const { issuer } = body;
  if (issuer !== url) {
    throw new CommandError(
      `the service at ${url} calls itself ${issuer}: use --url ${issuer}, or have its operator set --base-url`,
    );
  }
  const ownEndpoint = (name: (typeof endpointNames)[number]) => {
    const endpoint = body[name];
    if (typeof endpoint === "string" && endpoint.startsWith(`${issuer}/`)) return endpoint;
    throw new CommandError(`the service at ${url} has no ${name} of its own`);
  };
  const found = endpointNames.map((name) => [name, ownEndpoint(name)]);
  return { issuer, ...Object.fromEntries(found) } as AuthorizationServer;
}

/** Exchanges a code or token for a pair of tokens. Throws OauthError when the service refuses. */
export async function fetchTokens(
  tokenEndpoint: string,
  fields: Record<string, string>,
): Promise<Tokens> {
  const askedAtMs = Date.now();
  const body = await post(tokenEndpoint, fields);
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = body;
  const isWhole = typeof accessToken === "string" && typeof refreshToken === "string";
  if (!isWhole || typeof seconds !== "number") {
    throw new CommandError("the service's reply to the sign-in is incomplete");
  }
  return { accessToken, refreshToken, expiresAtMs: askedAtMs + seconds * 1_000 };
}

export async function fetchDeviceCodes(server: AuthorizationServer): Promise<DeviceCodes> {
  const body = await post(server.device_authorization_endpoint, {});
  if (!isDeviceCodes(body)) {
    throw new CommandError("the service's reply to the sign-in is incomplete");
  }
  return body;
}

function isDeviceCodes(body: object): body is DeviceCodes {
  const { device_code: deviceCode, user_code: userCode, ...others } = body as Partial<DeviceCodes>;
  const texts = [deviceCode, userCode, others.verification_uri];
  return texts.every((text) => typeof text === "string") && typeof others.expires_in === "number";
}

/** Revokes a sign-in. */
export async function revoke(server: AuthorizationServer, token: string): Promise<void> {
  await post(server.revocation_endpoint, { token });
}

/** Sends a GET with a token, for requests before a client exists. */
export async function fetchJson(
  address: string,
  credential: string,
  organization?: string,
): Promise<Record<string, unknown>> {
  const headers: Record<string, string> = { authorization: `Bearer ${credential}` };
  if (organization !== undefined) headers["x-svc-organization"] = organization;
  const { status, body } = await exchange(address, { headers });
  if (status === 200) return body;
  throw new CommandError(
    `the service answered ${status}: ${typeof body["message"] === "string" ? body["message"] : ""}`,
  );
}

async function post(
  endpoint: string,
  fields: Record<string, string>,
): Promise<Record<string, unknown>> {
  const { status, body } = await exchange(endpoint, {
    method: "POST",
    headers: { "user-agent": userAgent() },
    body: new URLSearchParams({ client_id: clientId, ...fields }),
  });
  if (status === 200) return body;
  const { error, error_description: sentence } = body;
  if (status >= 500 || status === 429) {
    const reason = typeof sentence === "string" ? `: ${sentence}` : "";
    throw new OutOfReach(`the service answered ${status} to the sign-in${reason}`);
  }
  if (typeof error === "string") {
    throw new OauthError(error, typeof sentence === "string" ? sentence : error);
  }
  throw new CommandError(`the service answered ${status} to the sign-in`);
}

/** The user agent, which has the machine's name, by which people recognise their sign-ins. */
function userAgent(): string {
  return `${clientId} (${hostname().replaceAll(/[^\w.-]/g, "")}; ${process.platform})`;
}

/** Sends a request. Never follows a redirect: it could carry a secret elsewhere. */
async function exchange(
  address: string,
  init: RequestInit,
): Promise<{ status: number; body: Record<string, unknown> }> {
  let status: number;
  let text: string;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(address, { ...init, redirect: "error", signal });
    status = response.status;
    text = await response.text();
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
    throw new OutOfReach(
      `cannot reach ${new URL(address).origin}: ${reason}; is the service running there? ` +
        "--url or LOSSLESS_URL names another address",
    );
  }
  return { status, body: jsonObject(text) };
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // An empty reply, or a proxy's page: the status says the rest.
  }
  return {};
}
