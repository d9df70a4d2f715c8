import type { SetSignOnBody, SignOnSettings, SignOnView } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import type { StoredSignOn } from "../../sign-on/setting.ts";
import { writeOne } from "../../storage/storage.ts";
import { readEndpointBody } from "../endpoint-body.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import type { OpenService } from "../service-state.ts";

const routes = endpointRoutes(readEndpointBody);

/** An organization's identity provider, as its owners set it. */
export const signOnProvider = routes({
  async readSignOn({ caller: { organizationId }, served }) {
    return view(served, organizationId);
  },

  async setSignOn({ caller: { organizationId, by }, body, served, context }) {
    const settings = settingsOf(body);
    context.signOns.take(by.address);
    // As a location is probed: what cannot work is not saved.
    await served.identityProviders.check(organizationId, settings);
    const sealedSecret =
      body.clientSecret === undefined
        ? null
        : served.identityProviders.seal(organizationId, body.clientSecret);
    await writeOne(served.storage, "signOn.set", { organizationId, settings, sealedSecret, by });
    return view(served, organizationId);
  },

  async removeSignOn({ caller: { organizationId, by }, served }) {
    await writeOne(served.storage, "signOn.remove", { organizationId, by });
  },
});

function settingsOf({ clientSecret: _secret, ...body }: SetSignOnBody): SignOnSettings {
  const {
    scopes = "openid email profile",
    groupsClaim = null,
    roles = [],
    defaultRole = null,
    forced = false,
    ...needed
  } = body;
  if (!scopes.split(" ").includes("openid")) {
    throw new ServiceError("bad_request", "scopes must have the word openid.");
  }
  if (roles.length > 0 || defaultRole !== null) {
    return { ...needed, scopes, groupsClaim, roles, defaultRole, forced };
  }
  throw new ServiceError(
    "bad_request",
    "Nobody new could sign in: give a group a role, or set defaultRole.",
  );
}

async function view(
  { storage, identityProviders }: OpenService,
  organizationId: string,
): Promise<SignOnView> {
  const found = await storage.read("signOn.read", { organizationId });
  return {
    settings: found === null ? null : shown(found),
    redirectAddress: identityProviders.redirectAddress(organizationId),
    startAddress: identityProviders.startAddress(organizationId),
  };
}

function shown(stored: StoredSignOn): SignOnSettings {
  const { name, issuer, clientId, scopes, domains, groupsClaim, roles, defaultRole, forced } =
    stored;
  return { name, issuer, clientId, scopes, domains, groupsClaim, roles, defaultRole, forced };
}
