import type { CreateTokenReply, Person, PersonalToken } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { useState } from "preact/hooks";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { withoutReload } from "../../parts/without-reload.ts";
import { isAtLeast, mayWrite } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";
import { scopeWords } from "./scope-words.ts";

interface Props {
  service: Service;
  /** Existing service accounts. */
  accounts: readonly Person[];
  onMade: (reply: CreateTokenReply) => void;
}

const lifetimes = [7, 30, 90, 365] as const;
const newAccount = "new";

/** Creates a token: one's own, or as an admin one for a service account. */
export function TokenForm({ service, accounts, onMade }: Props) {
  const isAdmin = isAtLeast(service.session.role, "admin");
  const { tokens } = service.client;
  const [name, setName] = useState("");
  const [scope, setScope] = useState<PersonalToken["scope"]>(mayWrite(service) ? "write" : "read");
  const [days, setDays] = useState("90");
  const [actor, setActor] = useState("");
  const [accountName, setAccountName] = useState("");
  const { isBusy, problem, act } = useAct();
  const make = () =>
    act(async () => {
      let account = actor;
      if (actor === newAccount) {
        account = (await tokens.createServiceAccount({ name: accountName, role: "member" })).id;
        // If creating the token fails, the account exists, and is not created again.
        setActor(account);
        setAccountName("");
      }
      const lifetime = days === "" ? null : Number(days);
      const body = { name, scope, days: lifetime, ...(account !== "" && { account }) };
      onMade(await tokens.create(body));
      setName("");
    });
  return (
    <form class="row" onSubmit={withoutReload(make)}>
      <label>
        Name of the new token
        <input
          value={name}
          required
          maxLength={limits.labelCharactersMax}
          placeholder="cluster a, notebook …"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      {mayWrite(service) ? (
        <ScopeChoice scope={scope} onChoose={setScope} />
      ) : (
        <span>It only reads, as you do.</span>
      )}
      <DaysChoice days={days} onChoose={setDays} />
      {isAdmin && <ActorChoice {...{ accounts, actor, accountName, setActor, setAccountName }} />}
      <button class="strong" disabled={isBusy}>
        Create a token
      </button>
      <Problem text={problem} />
    </form>
  );
}

interface ScopeProps {
  scope: PersonalToken["scope"];
  onChoose: (scope: PersonalToken["scope"]) => void;
}

function ScopeChoice({ scope, onChoose }: ScopeProps) {
  return (
    <label>
      Permissions
      <select
        value={scope}
        onChange={(event) => onChoose(event.currentTarget.value as PersonalToken["scope"])}
      >
        {Object.entries(scopeWords).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

function DaysChoice({ days, onChoose }: { days: string; onChoose: (days: string) => void }) {
  return (
    <label>
      Expires
      <select value={days} onChange={(event) => onChoose(event.currentTarget.value)}>
        {lifetimes.map((count) => (
          <option key={count} value={String(count)}>
            in {count} days
          </option>
        ))}
        <option value="">never, until revoked</option>
      </select>
    </label>
  );
}

interface ActorProps {
  accounts: readonly Person[];
  actor: string;
  accountName: string;
  setActor: (actor: string) => void;
  setAccountName: (name: string) => void;
}

function ActorChoice({ accounts, actor, accountName, setActor, setAccountName }: ActorProps) {
  return (
    <>
      <label>
        Acts for
        <select value={actor} onChange={(event) => setActor(event.currentTarget.value)}>
          <option value="">me</option>
          {accounts.map(({ id, email }) => (
            <option key={id} value={id}>
              {email}
            </option>
          ))}
          <option value={newAccount}>a new service account</option>
        </select>
      </label>
      {actor === newAccount && (
        <label>
          Name of the service account
          <input
            value={accountName}
            required
            pattern="[a-z0-9]([a-z0-9\-]{0,61}[a-z0-9])?"
            title="Lowercase letters, digits and hyphens"
            placeholder="ci, cluster-a …"
            onInput={(event) => setAccountName(event.currentTarget.value)}
          />
        </label>
      )}
    </>
  );
}
