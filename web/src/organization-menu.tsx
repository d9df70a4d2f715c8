import type { CurrentSession } from "@lossless/protocol";
import { useState } from "preact/hooks";
import { Menu } from "./parts/menu.tsx";
import { messageOf } from "./parts/words.ts";
import type { Service } from "./signed-in.ts";
import { leaveTo } from "./base-path.ts";

/** Milliseconds after which the next page has come, or the browser is asking. */
const leavingMs = 10_000;

/** The name of the organization, with a menu of the person's others. */
export function OrganizationMenu({ service }: { service: Service }) {
  const { organization, organizations } = service.session;
  const sign = (
    <>
      <bdi>{organization?.name ?? "no organization"}</bdi> <span aria-hidden="true">▾</span>
    </>
  );
  return (
    <Menu
      sign={sign}
      label={`Organization ${organization?.name ?? "not chosen"}`}
      place="pages"
      staysOpen
    >
      <OrganizationChoice service={service} organizations={organizations} />
    </Menu>
  );
}

interface ChoiceProps {
  service: Service;
  organizations: CurrentSession["organizations"];
}

/** Buttons that make another organization active, and then load the pages anew. */
export function OrganizationChoice({ service, organizations }: ChoiceProps) {
  const active = service.session.organization?.id;
  const [problem, setProblem] = useState<string>();
  const choose = async (id: string) => {
    // Requests of these pages would be refused once the session acts for another organization.
    const goOn = service.changes.hold();
    try {
      await service.client.account.switchOrganization(id);
      leaveTo("/experiments");
      // Who is asked, and stays with what is not saved yet, is still a reader of this page.
      setTimeout(goOn, leavingMs);
    } catch (error) {
      goOn();
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      <ul class="organizations">
        {organizations.map(({ id, name, role }) => (
          <li key={id}>
            <button
              type="button"
              aria-current={id === active ? "true" : undefined}
              disabled={id === active}
              onClick={() => void choose(id)}
            >
              <bdi>{name}</bdi>{" "}
              <span class="count">{id === active ? `${role}, active` : role}</span>
            </button>
          </li>
        ))}
      </ul>
      {problem !== undefined && <p role="alert">{problem}</p>}
    </>
  );
}
