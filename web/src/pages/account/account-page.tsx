import { useEffect } from "preact/hooks";
import { OrganizationChoice } from "../../organization-menu.tsx";
import type { PathProps } from "../../page.ts";
import { EraseAccount } from "./erase-account.tsx";
import { LookChoice } from "./look-choice.tsx";
import { PasswordForm } from "./password-form.tsx";
import { SignIns } from "./sign-ins.tsx";

/** `/account` */
export function AccountPage({ service }: PathProps) {
  const { person, organizations } = service.session;
  useEffect(() => {
    document.title = "Account · Lossless";
  }, []);
  return (
    <main class="settings">
      <h1>{person.email}</h1>
      <SignIns service={service} />
      <section aria-labelledby="organizations">
        <h2 id="organizations">Organizations</h2>
        {organizations.length === 0 ? (
          <p class="none">
            You are not a member of any organization. Ask an owner or admin of one to invite you.
          </p>
        ) : (
          <>
            <p class="soft">
              The pages show one organization at a time. Choose another one to switch.
            </p>
            <OrganizationChoice service={service} organizations={organizations} />
          </>
        )}
      </section>
      <PasswordForm service={service} />
      <LookChoice />
      <EraseAccount service={service} />
    </main>
  );
}
