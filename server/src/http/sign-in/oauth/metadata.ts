import { endpoints } from "@lossless/protocol";
import { oauth } from "./client.ts";
import { deviceGrantType } from "./token.ts";

export const metadata = oauth({
  /** RFC 8414. The issuer is the base URL to the letter. */
  async oauthMetadata({ context }) {
    const issuer = context.baseUrl();
    return {
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
  },
});
