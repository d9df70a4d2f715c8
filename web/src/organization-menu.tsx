import type { CurrentSession } from "@lossless/protocol";
import { useState } from "preact/hooks";
import { messageOf } from "./parts/words.ts";
import type { Service } from "./signed-in.ts";

/** The name of the organization, under which the person's others are. */
export function OrganizationMenu({ service }: { service: Service }) {
  const { organization, organizations } = service.session;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details
      class="organization-menu"
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        setIsOpen(false);
        event.currentTarget.querySelector("summary")?.focus();
      }}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        if (!isInside) setIsOpen(false);
      }}
    >
      <summary aria-label={`Organization ${organization?.name ?? "not chosen"}`}>
        <bdi>{organization?.name ?? "no organization"}</bdi> <span aria-hidden="true">▾</span>
      </summary>
      <div>
        <OrganizationChoice service={service} organizations={organizations} />
      </div>
    </details>
  );
}

interface ChoiceProps {
  service: Service;
  organizations: CurrentSession["organizations"];
}

/** Buttons that make another organization the active one, and begin the pages anew with it. */
export function OrganizationChoice({ service, organizations }: ChoiceProps) {
  const active = service.session.organization?.id;
  const [problem, setProblem] = useState<string>();
  const choose = async (id: string) => {
    try {
      await service.client.account.switchOrganization(id);
      window.location.assign("/experiments");
    } catch (error) {
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
