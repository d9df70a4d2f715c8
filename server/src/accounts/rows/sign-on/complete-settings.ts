import type { SetSignOnBody } from "@lossless/protocol";
import { ServiceError } from "../../../ground/errors.ts";
import type { ProviderSettings } from "./setting.ts";

/**
 * Returns the settings with defaults for omitted fields. Throws `bad_request` where no member could
 * sign in by them.
 */
export function completeSettings({
  clientSecret: _secret,
  ...body
}: SetSignOnBody): ProviderSettings {
  const {
    scopes = "openid email profile",
    groupsClaim = null,
    roles = [],
    defaultRole = null,
    forced = false,
    domains,
    ...needed
  } = body;
  if (!scopes.split(" ").includes("openid")) {
    throw new ServiceError("bad_request", "scopes must contain openid.");
  }
  if (roles.length === 0 && defaultRole === null) {
    const sentence = "New people could not sign in: give a group a role, or set defaultRole.";
    throw new ServiceError("bad_request", sentence);
  }
  const lowerCase = domains.map((domain) => domain.toLowerCase());
  return { ...needed, scopes, domains: lowerCase, groupsClaim, roles, defaultRole, forced };
}
