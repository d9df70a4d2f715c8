import type { SignOnView } from "@lossless/protocol";
import { completeSettings } from "../../accounts/rows/sign-on/complete-settings.ts";
import { settingsOf } from "../../accounts/rows/sign-on/setting.ts";
import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import type { OpenService } from "../service-state.ts";

/** An organization's identity provider, as its owners set it. */
export const signOnProvider = endpointRoutes({
  async readSignOn({ caller: { organizationId }, served }) {
    return view(served, organizationId);
  },

  async setSignOn({ caller: { organizationId, by }, body, served, context }) {
    const settings = completeSettings(body);
    const { clientSecret: secret } = body;
    context.callers.signOns.take(by.address);
    // As a location is probed: what cannot work is not saved.
    await served.identityProviders.check(settings, secret);
    const sealedSecret =
      secret === undefined ? null : served.identityProviders.seal(organizationId, secret);
    await writeOne(served.storage, "signOn.set", { organizationId, settings, sealedSecret, by });
    return view(served, organizationId);
  },

  async removeSignOn({ caller: { organizationId, by }, served }) {
    await writeOne(served.storage, "signOn.remove", { organizationId, by });
  },
});

async function view(
  { storage, identityProviders }: OpenService,
  organizationId: string,
): Promise<SignOnView> {
  const found = await storage.read("signOn.read", { organizationId });
  const publicClient = found !== null && identityProviders.secretOf(found) === null;
  return {
    settings: found && { ...settingsOf(found), publicClient },
    redirectAddress: identityProviders.redirectAddress(organizationId),
    startAddress: identityProviders.startAddress(organizationId),
  };
}
