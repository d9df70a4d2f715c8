import type { ClientAuth, ServerMetadata } from "openid-client";
import { ServiceError } from "../../ground/errors.ts";

/**
 * Returns the ways in which the service may authenticate at the token endpoint, the one to try
 * first first. With a secret: as the provider's metadata offers, in the body or by HTTP Basic;
 * without one: by the client id alone. Metadata lists what the provider supports, not which of the
 * two it wants of this client, so both may be tried. Throws `bad_request` where the provider takes
 * no secret.
 */
export async function clientAuthentications(
  server: ServerMetadata,
  secret: string,
): Promise<ClientAuth[]> {
  const { ClientSecretBasic, ClientSecretPost, None } = await import("openid-client");
  // A public client: PKCE proves that it is the one that began the sign-in.
  if (secret === "") return [None()];
  // OpenID Connect Discovery 1.0, 3: a provider that names no method takes Basic.
  const offered = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const ways = [
    ...(offered.includes("client_secret_post") ? [ClientSecretPost(secret)] : []),
    ...(offered.includes("client_secret_basic") ? [ClientSecretBasic(secret)] : []),
  ];
  if (ways.length > 0) return ways;
  throw new ServiceError(
    "bad_request",
    "The provider accepts a client secret neither in the body nor as HTTP Basic: register a public client there, and set clientSecret to null.",
  );
}

/** Whether the provider refused the client itself, not its request. */
export function isUnknownClient(error: unknown): boolean {
  return (error as { error?: unknown } | undefined)?.error === "invalid_client";
}
