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
import { withoutReload } from "../../parts/without-reload.ts";
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
        A program with an API key records and reads on behalf of the organization until the key is
        revoked. A key cannot change settings or read the audit log.{" "}
        {!isAdmin && "Admins and owners create keys."}
      </p>
      {isAdmin && <KeyForm service={service} onMade={(reply) => (setMade(reply), void again())} />}
      {made !== undefined && (
        <ShownOnce
          name="The key"
          secret={made.secret}
          hint={`Store it where you keep secrets, for example as LOSSLESS_API_KEY. “${made.key.name}” cannot be shown again.`}
          onClose={forget}
        />
      )}
      <Problem text={problem} />
      {found === undefined ? (
        <p class="waiting">Loading …</p>
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
            Every program that uses it is refused at once, including those that are recording. Last
            used: <Age at={revoking.lastUsed} />. This cannot be undone.
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
      columns={[
        "name",
        "created",
        "created by",
        "last used",
        ...(onRevoke !== undefined ? [""] : []),
      ]}
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
                  aria-label={`Revoke ${key.name}, created ${key.created}`}
                  onClick={() => onRevoke(key)}
                >
                  Revoke
                </button>,
              ]
            : []),
        ],
      }))}
      empty="No API keys."
    />
  );
}

function makerOf({ createdBy }: ApiKey, people: readonly Person[]): string {
  if (createdBy === "bootstrap") return "the operator";
  return people.find(({ id }) => id === createdBy)?.email ?? "a former member";
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
    <form class="row" onSubmit={withoutReload(make)}>
      <label>
        Name of the new key
        <input
          value={name}
          required
          maxLength={limits.labelCharactersMax}
          placeholder="ci, cluster-a, ada's laptop …"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button class="strong" disabled={isBusy}>
        Create a key
      </button>
      <Problem text={problem} />
    </form>
  );
}
