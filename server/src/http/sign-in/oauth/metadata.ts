import { endpoints } from "@lossless/protocol";
import type { ReplyBody } from "@lossless/protocol";
import { sendJson } from "../../replies.ts";
import type { Route } from "../../route.ts";
import { deviceGrantType } from "./token.ts";

/** `GET /.well-known/oauth-authorization-server` (RFC 8414). The issuer is the base URL to the letter. */
export const oauthMetadata: Route = async ({ baseUrl }, _request, reply) => {
  const issuer = baseUrl();
  const body: ReplyBody<"oauthMetadata"> = {
    issuer,
    authorization_endpoint: issuer + endpoints.authorizePage.path,
    token_endpoint: issuer + endpoints.oauthToken.path,
    device_authorization_endpoint: issuer + endpoints.oauthDevice.path,
    revocation_endpoint: issuer + endpoints.oauthRevoke.path,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token", deviceGrantType],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
  };
  sendJson(reply, JSON.stringify(body));
};
