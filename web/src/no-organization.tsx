import { Problem } from "./parts/problem.tsx";
import { useAct } from "./parts/use-act.ts";
import { useAnswer } from "./parts/use-answer.ts";
import { OrganizationChoice } from "./organization-menu.tsx";
import type { Service } from "./signed-in.ts";

/** The page of a session without an active organization. */
export function NoOrganization({ service }: { service: Service }) {
  const { organizations, person } = service.session;
  if (organizations.length === 0)
    return (
      <main class="failure">
        <h1>No organization</h1>
        <p>
          {person.email} is not a member of any organization. Ask an owner or admin of one to invite
          you.
        </p>
        <DeletedOrganizations service={service} />
      </main>
    );
  return (
    <main class="failure">
      <h1>Choose an organization</h1>
      <p>
        You are a member of several organizations. The pages show one at a time. To switch later,
        use the menu at the top of the page.
      </p>
      <OrganizationChoice service={service} organizations={organizations} />
      <DeletedOrganizations service={service} />
    </main>
  );
}

/** Deleted organizations of which the person is an owner, to restore them. */
function DeletedOrganizations({ service }: { service: Service }) {
  const { trash } = service.client;
  const { found = [], problem: unread } = useAnswer(() => trash.organizations(), [trash]);
  const { isBusy, problem, act } = useAct();
  const restore = (id: string) =>
    act(async () => {
      await trash.restoreOrganization(id);
      window.location.reload();
    });
  return (
    <>
      {found.map(({ id, name, purgeAtMs, isPurging }) => (
        <p key={id} class="actions">
          <bdi>{name}</bdi>{" "}
          {isPurging
            ? "was deleted and is being removed."
            : `was deleted. You can restore it until ${new Date(purgeAtMs).toLocaleDateString()}.`}{" "}
          {!isPurging && (
            <button type="button" disabled={isBusy} onClick={() => void restore(id)}>
              Restore {name}
            </button>
          )}
        </p>
      ))}
      <Problem text={problem ?? unread} />
    </>
  );
}

/** Shown when another tab has made another organization active. */
export function OtherOrganization({ service, to }: { service: Service; to: string | undefined }) {
  const { organization } = service.session;
  const back = async () => {
    await service.client.account.switchOrganization(organization!.id);
    window.location.reload();
  };
  return (
    <main class="failure">
      <h1>Another tab switched the organization</h1>
      <p>
        This page shows <bdi>{organization?.name}</bdi>, but another tab switched to{" "}
        <bdi>{to ?? "no organization"}</bdi>. Nothing was mixed: since then the service has refused
        every request of this page.
      </p>
      <p class="actions">
        <a class="button" href="/experiments" target="_self">
          {to === undefined ? "Choose an organization" : `Continue with ${to}`}
        </a>
        <button type="button" onClick={() => void back()}>
          Switch back to {organization?.name}
        </button>
      </p>
    </main>
  );
}
