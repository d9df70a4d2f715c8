import type { Invitation, Person } from "@lossless/client";
import type { Role } from "@lossless/protocol";
import { roles } from "@lossless/protocol/roles";
import { useState } from "preact/hooks";
import type { PathProps } from "../../page.ts";
import { Age } from "../../parts/age.tsx";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Listing } from "../../parts/listing.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { useAnswer } from "../../parts/use-answer.ts";
import { withoutReload } from "../../parts/without-reload.ts";
import { isAtLeast } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";
import { Invitations } from "./invitations.tsx";
import { OrganizationPage } from "./organization-page.tsx";
import { mayChange } from "./people-rights.ts";
import { leaveTo } from "../../base-path.ts";

/** `/organization/people` */
export function PeoplePage({ service }: PathProps) {
  const { people } = service.client;
  const { role } = service.session;
  const isAdmin = isAtLeast(role, "admin");
  const { found, problem, again } = useAnswer(
    async () => ({
      people: await people.list(),
      invitations: isAdmin ? await people.invitations() : ([] as Invitation[]),
    }),
    [people, isAdmin],
  );
  return (
    <OrganizationPage name="People" service={service}>
      <p class="soft">
        Viewers only read. Members also write experiments and artifacts. Admins also set up the
        organization and invite people. Owners also add and remove owners. The last owner cannot be
        removed.
      </p>
      <Problem text={problem} />
      {found === undefined ? (
        <p class="waiting">Loading …</p>
      ) : (
        <>
          <PeopleList service={service} people={found.people} again={again} />
          {isAdmin && (
            <Invitations
              service={service}
              invitations={found.invitations}
              people={found.people}
              again={again}
            />
          )}
        </>
      )}
    </OrganizationPage>
  );
}

interface ListProps {
  service: Service;
  people: readonly Person[];
  again: () => Promise<void>;
}

function PeopleList({ service, people, again }: ListProps) {
  const [removing, setRemoving] = useState<Person>();
  const { session, client } = service;
  const mine = session.person.id;
  const owners = people.filter(({ role }) => role === "owner").length;
  const remove = async ({ id }: Person) => {
    await client.people.remove(id);
    if (id === mine) leaveTo("/account");
    else await again();
  };
  const isChangeable = (person: Person) =>
    mayChange(session.role, person.role) && !(person.role === "owner" && owners === 1);
  const hasActions = people.some(isChangeable);
  return (
    <section aria-label="People">
      <Listing
        label="People"
        columns={["person", "role", "joined", ...(hasActions ? [""] : [])]}
        rows={people.map((person) => ({
          key: person.id,
          cells: [
            <span class="name">
              <bdi>{person.email}</bdi> {person.id === mine && <span class="mark">you</span>}
            </span>,
            isChangeable(person) ? (
              <RoleChoice key={person.role} service={service} person={person} again={again} />
            ) : (
              <>
                {person.role}
                {person.role === "owner" && owners === 1 && (
                  <span class="soft"> (the last owner: make another member an owner first)</span>
                )}
              </>
            ),
            <Age at={person.joined} />,
            ...(hasActions
              ? [
                  isChangeable(person) && (
                    <button
                      type="button"
                      aria-label={person.id === mine ? undefined : `Remove ${person.email}`}
                      onClick={() => setRemoving(person)}
                    >
                      {person.id === mine ? "Leave" : "Remove"}
                    </button>
                  ),
                ]
              : []),
          ],
        }))}
        empty="No people."
      />
      {removing !== undefined && (
        <AskOnce
          title={removing.id === mine ? "Leave the organization?" : `Remove ${removing.email}?`}
          verb={removing.id === mine ? "Leave" : "Remove"}
          onConfirm={() => remove(removing)}
          onClose={() => setRemoving(undefined)}
        >
          <p>
            {removing.id === mine ? "Your" : "Their"} membership ends at once, and{" "}
            {removing.id === mine ? "your" : "their"} open invitations are revoked. API keys belong
            to the organization and stay valid. Only a new invitation brings{" "}
            {removing.id === mine ? "you" : "them"} back.
          </p>
        </AskOnce>
      )}
    </section>
  );
}

interface ChoiceProps {
  service: Service;
  person: Person;
  again: () => Promise<void>;
}

/** Applied by a button, not by the selection: arrow keys pass over unwanted roles. */
function RoleChoice({ service, person, again }: ChoiceProps) {
  const [chosen, setChosen] = useState<Role>(person.role);
  const { isBusy, problem, act } = useAct();
  const mine = service.session.person.id === person.id;
  const change = async () => {
    const isDone = await act(() => service.client.people.changeRole(person.id, chosen));
    if (isDone && mine) window.location.reload();
    else if (isDone) await again();
  };
  const offered = roles.filter((role) => mayChange(service.session.role, role));
  return (
    <form class="inline" onSubmit={withoutReload(change)}>
      <select
        aria-label={`Role of ${person.email}`}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value as Role)}
      >
        {offered.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </select>
      {chosen !== person.role && (
        <button class="strong" disabled={isBusy}>
          Make {chosen}
        </button>
      )}
      <Problem text={problem} />
    </form>
  );
}
