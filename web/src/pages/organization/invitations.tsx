import type { CreateInvitationReply, Invitation, Person } from "@lossless/client";
import type { Role } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { roles } from "@lossless/protocol/roles";
import { useCallback, useState } from "preact/hooks";
import { Age } from "../../parts/age.tsx";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Listing } from "../../parts/listing.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { useAct } from "../../parts/use-act.ts";
import { withoutReload } from "../../parts/without-reload.ts";
import type { Service } from "../../signed-in.ts";
import { mayChange } from "./people-rights.ts";

interface Props {
  service: Service;
  invitations: readonly Invitation[];
  people: readonly Person[];
  again: () => Promise<void>;
}

/** Links by which people join: created, shown once, and revoked. */
export function Invitations({ service, invitations, people, again }: Props) {
  const [made, setMade] = useState<CreateInvitationReply>();
  const [revoking, setRevoking] = useState<Invitation>();
  const forget = useCallback(() => setMade(undefined), []);
  const revoke = async ({ id }: Invitation) => {
    await service.client.people.revokeInvitation(id);
    if (made?.invitation.id === id) forget();
    await again();
  };
  const makerOf = ({ createdBy }: Invitation) =>
    people.find(({ id }) => id === createdBy)?.email ?? createdBy;
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations">Invitations</h2>
      <InviteForm service={service} onMade={(reply) => (setMade(reply), void again())} />
      {made !== undefined && (
        <ShownOnce
          name="The link"
          secret={made.link}
          hint={`Send it to ${made.invitation.email ?? "the person you want to invite: the first person to open it joins"}. It works once, within seven days.`}
          onClose={forget}
        />
      )}
      <Listing
        label="Open invitations"
        columns={["for", "role", "created", "created by", "expires", ""]}
        rows={invitations.map((one) => ({
          key: one.id,
          cells: [
            <span class="name">
              <bdi>{one.email ?? "anyone with the link"}</bdi>
            </span>,
            one.role,
            <Age at={one.created} />,
            <bdi>{makerOf(one)}</bdi>,
            <Age at={one.expires} />,
            mayChange(service.session.role, one.role) && (
              <button
                type="button"
                aria-label={`Revoke the invitation for ${one.email ?? "anyone with the link"}, created ${one.created}`}
                onClick={() => setRevoking(one)}
              >
                Revoke
              </button>
            ),
          ],
        }))}
        empty="No open invitations."
      />
      {revoking !== undefined && (
        <AskOnce
          title={`Revoke the invitation for ${revoking.email ?? "anyone with the link"}?`}
          verb="Revoke"
          onConfirm={() => revoke(revoking)}
          onClose={() => setRevoking(undefined)}
        >
          <p>
            The link stops working at once and cannot be restored. A person who has already joined
            with it stays a member.
          </p>
        </AskOnce>
      )}
    </section>
  );
}

interface FormProps {
  service: Service;
  onMade: (reply: CreateInvitationReply) => void;
}

function InviteForm({ service, onMade }: FormProps) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("member");
  const { isBusy, problem, act } = useAct();
  const invite = (body: { role: Role; email?: string }) =>
    act(async () => {
      onMade(await service.client.people.invite(body));
      setEmail("");
    });
  return (
    <form class="row" onSubmit={withoutReload(() => invite({ role, email: email.trim() }))}>
      <label>
        E-mail address
        <input
          type="email"
          required
          maxLength={limits.emailCharactersMax}
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
      </label>
      <label>
        Role
        <select value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>
          {roles
            .filter((each) => mayChange(service.session.role, each))
            .toReversed()
            .map((each) => (
              <option key={each}>{each}</option>
            ))}
        </select>
      </label>
      <button class="strong" disabled={isBusy}>
        Invite
      </button>
      <button
        type="button"
        disabled={isBusy}
        title={`The first person to open the link joins as ${role}`}
        onClick={() => void invite({ role })}
      >
        Make a link for anyone
      </button>
      <Problem text={problem} />
    </form>
  );
}
