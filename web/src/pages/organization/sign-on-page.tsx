import { useState } from "preact/hooks";
import type { PathProps } from "../../page.ts";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAnswer } from "../../parts/use-answer.ts";
import { isAtLeast } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";
import { OrganizationPage } from "./organization-page.tsx";
import { ProviderFacts } from "./provider-facts.tsx";
import { ProviderForm } from "./provider-form.tsx";
import { ScimPart } from "./scim-part.tsx";

/** `/organization/sign-on` */
export function SignOnPage({ service }: PathProps) {
  return (
    <OrganizationPage name="Sign-on" service={service}>
      <Provider service={service} />
    </OrganizationPage>
  );
}

/** A component of its own, so that nothing is read for people who may not see it. */
function Provider({ service }: { service: Service }) {
  const { signOn } = service.client;
  const isOwner = isAtLeast(service.session.role, "owner");
  const { found, problem, again } = useAnswer(() => signOn.read(), [signOn]);
  const [isRemoving, setIsRemoving] = useState(false);
  if (found === undefined)
    return problem === undefined ? <p class="waiting">Loading …</p> : <Problem text={problem} />;
  const { settings, redirectAddress, startAddress } = found;
  return (
    <>
      <p class="soft">
        People can sign in through your own identity provider with OpenID Connect: Okta, Entra,
        Google, Keycloak or another one. {!isOwner && "Owners set it up."}
      </p>
      <Problem text={problem} />
      <dl class="known">
        <dt>Redirect address, to register at the provider</dt>
        <dd>
          <code>{redirectAddress}</code> <Copy text={redirectAddress} label="Copy" />
        </dd>
        <dt>Address that starts a sign-in through the provider</dt>
        <dd>
          <code>{startAddress}</code> <Copy text={startAddress} label="Copy" />
        </dd>
      </dl>
      {isOwner ? (
        <ProviderForm service={service} settings={settings} again={again} />
      ) : (
        <ProviderFacts settings={settings} />
      )}
      {settings !== null && <ScimPart service={service} />}
      {isOwner && settings !== null && (
        <section aria-labelledby="end">
          <h2 id="end">Remove the provider</h2>
          <p>
            <button type="button" onClick={() => setIsRemoving(true)}>
              Remove the provider
            </button>
          </p>
        </section>
      )}
      {isRemoving && (
        <AskOnce
          title="Remove the identity provider?"
          verb="Remove"
          onConfirm={async () => {
            await signOn.remove();
            await again();
          }}
          onClose={() => setIsRemoving(false)}
        >
          <p>
            All sessions that started through the provider end. People without a password then need
            a link to set one.
          </p>
        </AskOnce>
      )}
    </>
  );
}
