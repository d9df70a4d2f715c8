import { StoreError } from "../../../buckets/bucket.ts";
import { sendToCloud, type CloudReply } from "../../../buckets/cloud-request.ts";
import { audiences, subjectOf, type ConnectionAccess } from "../../rows/connections/connection.ts";
import type { CloudSettings } from "../cloud.ts";
import type { Session } from "../session.ts";
import { azureOf } from "./identifiers.ts";
import { memberAt, parseJson } from "../json-reply.ts";

/** Service for which a token is valid: the storage of blobs, or the resource manager. */
export type AzureScope =
  | "https://storage.azure.com/.default"
  | "https://management.azure.com/.default";

export interface AccessToken extends Session {
  token: string;
}

/**
 * Exchanges one of our own tokens for one of the tenant, as the application that trusts the
 * connection's subject (client credentials with a client assertion).
 */
export async function fetchAccessToken(
  { tokens, endpoints, clock }: CloudSettings,
  access: ConnectionAccess,
  scope: AzureScope,
  deadlineMs: number,
  end?: AbortSignal,
): Promise<AccessToken> {
  const operation = "the exchange of a token";
  const { tenantId, clientId } = azureOf(access);
  const assertion = await tokens.mint({
    subject: subjectOf(access.organizationId, access.connectionId),
    audience: audiences.azure,
  });
  const startedMs = clock();
  const reply = await sendToCloud({
    operation,
    method: "POST",
    url: `${endpoints.azure.login}/${tenantId}/oauth2/v2.0/token`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      scope,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: assertion,
    }).toString(),
    deadlineMs,
    signal: end,
  });
  const body = parseJson(reply.body);
  if (reply.status !== 200) throw refusalOf(operation, reply, body);
  const token = memberAt(body, "access_token");
  const lifetimeSeconds = Number(memberAt(body, "expires_in"));
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token) || !(lifetimeSeconds > 0))
    throw new StoreError("invalid reply", true, `Entra's reply to ${operation} has no token.`);
  return { token, expiresAtMs: startedMs + lifetimeSeconds * 1_000 };
}

/**
 * Returns the refusal. Entra's numbers are meant for people and may change: they only choose the
 * advice.
 */
function refusalOf(operation: string, { status }: CloudReply, body: unknown): StoreError {
  const numbers = memberAt(body, "error_codes");
  const number: unknown = Array.isArray(numbers) ? numbers[0] : undefined;
  const word = memberAt(body, "error");
  const named = typeof word === "string" && /^[a-z_]{1,40}$/.test(word) ? word : `HTTP ${status}`;
  const code = Number.isSafeInteger(number) ? `AADSTS${String(number)}` : named;
  const transient =
    status >= 500 || status === 429 || status === 408 || word === "temporarily_unavailable";
  const message = `Entra failed at ${operation}: ${status} ${code}.`;
  const advice = transient ? undefined : (advices[code] ?? usualAdvice);
  return new StoreError(code, transient, message, undefined, advice);
}

const usualAdvice =
  "Run the setup script of this connection again; a change in Entra takes some minutes to take effect.";
const noTrust =
  "The application does not trust this connection: run its setup script again, in the tenant that was named, and wait some minutes.";
const unreadKeys =
  "Entra could not read the issuer's keys: its address must answer over public https, with the keys that are in use now.";

/** https://learn.microsoft.com/entra/identity-platform/reference-error-codes */
const advices: Readonly<Record<string, string>> = {
  AADSTS70021: noTrust,
  AADSTS700211: noTrust,
  AADSTS700212: noTrust,
  AADSTS700213: noTrust,
  AADSTS700016: "The tenant has no application with this client id: check both ids.",
  AADSTS7000229:
    "The application has no service principal in the tenant: run the setup script again.",
  AADSTS90002: "There is no such tenant: check the tenant id.",
  AADSTS900023: "There is no such tenant: check the tenant id.",
  AADSTS50166: unreadKeys,
  AADSTS501661: unreadKeys,
  AADSTS700027: unreadKeys,
  AADSTS700024: "The clock of the service is wrong, or its token arrived late: check the clock.",
  AADSTS53003: "A conditional access policy of the tenant refuses the application.",
};
