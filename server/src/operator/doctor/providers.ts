import type { EgressPolicy } from "../../buckets/egress.ts";
import { systemClock } from "../../ground/clock.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { Sealing } from "../../ground/sealing.ts";
import { IdentityProviders } from "../../accounts/openid/identity-providers.ts";
import type { DirectStorage } from "../../storage/direct-storage.ts";
import { type Finding, ok, problem } from "./finding.ts";

/** Whether each organization's identity provider answers, and is who it was set to be. */
export async function examineProviders(
  organizations: readonly { id: string; name: string }[],
  { storage, egress, sealing }: { storage: DirectStorage; egress: EgressPolicy; sealing: Sealing },
): Promise<Finding[]> {
  using providers = new IdentityProviders({
    egress,
    sealing,
    clock: systemClock,
    baseUrl: () => "",
  });
  const findings: Finding[] = [];
  for (const { id, name } of organizations) {
    const provider = await storage.read("signOn.read", { organizationId: id });
    if (provider === null) continue;
    const about = `identity provider ${provider.name} of ${name}`;
    try {
      await providers.check(provider, providers.secretOf(provider));
      findings.push(ok(about, `${provider.issuer} answers, and is that`));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      findings.push(
        problem(
          about,
          error.message,
          provider.forced
            ? "Only owners with a password can sign in until it answers; lossless sign-on show prints its settings."
            : "People with a password can sign in meanwhile; lossless sign-on shows how it is set.",
        ),
      );
    }
  }
  return findings;
}
