import type { ApiKey, CreateApiKeyReply, Person } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { useCallback, useState } from "preact/hooks";
import type { PathProps } from "../../page.ts";
import { Age } from "../../parts/age.tsx";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Listing } from "../../parts/listing.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { useAct } from "../../parts/use-act.ts";
import { useAnswer } from "../../parts/use-answer.ts";
import { isAtLeast } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";
import { OrganizationPage } from "./organization-page.tsx";

/** `/organization/keys` */
export function KeysPage({ service }: PathProps) {
  const { organization, people } = service.client;
  const isAdmin = isAtLeast(service.session.role, "admin");
  const { found, problem, again } = useAnswer(
    async () => ({ keys: await organization.apiKeys(), people: await people.list() }),
    [organization, people],
  );
  const [made, setMade] = useState<CreateApiKeyReply>();
  const [revoking, setRevoking] = useState<ApiKey>();
  const forget = useCallback(() => setMade(undefined), []);
  const revoke = async ({ id }: ApiKey) => {
    await organization.revokeApiKey(id);
    if (made?.key.id === id) forget();
    await again();
  };
  return (
    <OrganizationPage name="Keys" service={service}>
      <p class="soft">
        With an API key a program records and reads as the organization, until the key is revoked.
        It sets nothing up and sees no audit log. {!isAdmin && "Admins and owners make keys."}
      </p>
      {isAdmin && <KeyForm service={service} onMade={(reply) => (setMade(reply), void again())} />}
      {made !== undefined && (
        <ShownOnce
          name="The key"
          secret={made.secret}
          hint={`Keep it where you keep secrets, as LOSSLESS_API_KEY for instance: nobody can see “${made.key.name}” again.`}
          onClose={forget}
        />
      )}
      <Problem text={problem} />
      {found === undefined ? (
        <p class="waiting">Reading …</p>
      ) : (
        <KeyList
          keys={found.keys}
          people={found.people}
          onRevoke={isAdmin ? setRevoking : undefined}
        />
      )}
      {revoking !== undefined && (
        <AskOnce
          title={`Revoke the key “${revoking.name}”?`}
          verb="Revoke"
          onConfirm={() => revoke(revoking)}
          onClose={() => setRevoking(undefined)}
        >
          <p>
            Every program that uses it is refused from now on, runs that record among them. It was
            last used <Age at={revoking.lastUsed} />. This cannot be undone.
          </p>
        </AskOnce>
      )}
    </OrganizationPage>
  );
}

interface ListProps {
  keys: readonly ApiKey[];
  people: readonly Person[];
  /** Undefined: the role may not revoke keys. */
  onRevoke: ((key: ApiKey) => void) | undefined;
}

function KeyList({ keys, people, onRevoke }: ListProps) {
  return (
    <Listing
      label="API keys"
      columns={["name", "made", "by", "last used", ...(onRevoke !== undefined ? [""] : [])]}
      rows={keys.map((key) => ({
        key: key.id,
        cells: [
          <span class="name">
            <bdi>{key.name}</bdi>
          </span>,
          <Age at={key.created} />,
          <bdi>{makerOf(key, people)}</bdi>,
          <Age at={key.lastUsed} />,
          ...(onRevoke !== undefined
            ? [
                <button
                  type="button"
                  aria-label={`Revoke ${key.name}, made ${key.created}`}
                  onClick={() => onRevoke(key)}
                >
                  Revoke
                </button>,
              ]
            : []),
        ],
      }))}
      empty="There is no key."
    />
  );
}

function makerOf({ createdBy }: ApiKey, people: readonly Person[]): string {
  if (createdBy === "bootstrap") return "whoever runs the service";
  return people.find(({ id }) => id === createdBy)?.email ?? "somebody who has left";
}

interface FormProps {
  service: Service;
  onMade: (reply: CreateApiKeyReply) => void;
}

function KeyForm({ service, onMade }: FormProps) {
  const [name, setName] = useState("");
  const { isBusy, problem, act } = useAct();
  const make = () =>
    act(async () => {
      onMade(await service.client.organization.createApiKey(name));
      setName("");
    });
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <label>
        Name of a new key, by which people know it again
        <input
          value={name}
          required
          maxLength={limits.labelCharactersMax}
          placeholder="ci, cluster-a, ada's laptop …"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button class="strong" disabled={isBusy}>
        Make a key
      </button>
      <Problem text={problem} />
    </form>
  );
}
