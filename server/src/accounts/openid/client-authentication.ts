import type { ClientAuth, ServerMetadata } from "openid-client";
import { ServiceError } from "../../ground/errors.ts";

/**
 * The ways in which the service may say at the token endpoint which client it is, the first to be
 * tried first: by its secret as the provider's metadata offers it, in the body or as HTTP Basic;
 * without one by its id alone. Metadata tell what the provider knows, and not which of the two it
 * wants of this client, so both may be tried. Throws `bad_request` where it takes no secret.
 */
export async function clientAuthentications(
  server: ServerMetadata,
  secret: string,
): Promise<ClientAuth[]> {
  const { ClientSecretBasic, ClientSecretPost, None } = await import("openid-client");
  // A public client: that it is the one who began, PKCE proves.
  if (secret === "") return [None()];
  // OpenID Connect Discovery 1.0, 3: who names none takes Basic.
  const offered = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const ways = [
    ...(offered.includes("client_secret_post") ? [ClientSecretPost(secret)] : []),
    ...(offered.includes("client_secret_basic") ? [ClientSecretBasic(secret)] : []),
  ];
  if (ways.length > 0) return ways;
  throw new ServiceError(
    "bad_request",
    "The provider takes no client secret, neither in the body nor as HTTP Basic: register a public client there, and set clientSecret to null.",
  );
}

/** Whether the provider refused the client itself, and not what it asked for. */
export function isUnknownClient(error: unknown): boolean {
  return (error as { error?: unknown } | undefined)?.error === "invalid_client";
}
