import type { CreateTokenReply, Person, PersonalToken } from "@lossless/client";
import { useCallback, useState } from "preact/hooks";
import type { PathProps } from "../../page.ts";
import { Age } from "../../parts/age.tsx";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Listing } from "../../parts/listing.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { useAnswer } from "../../parts/use-answer.ts";
import { isAtLeast } from "../../rights.ts";
import { OrganizationPage } from "./organization-page.tsx";
import { scopeWords } from "./scope-words.ts";
import { TokenForm } from "./token-form.tsx";

/** `/organization/tokens` */
export function TokensPage({ service }: PathProps) {
  const { tokens, people } = service.client;
  const { person, role } = service.session;
  const isAdmin = isAtLeast(role, "admin");
  const { found, problem, again } = useAnswer(
    async () => ({
      tokens: await tokens.list(isAdmin ? "all" : undefined),
      accounts: isAdmin ? (await people.list()).filter(isServiceAccount) : [],
    }),
    [tokens, people, isAdmin],
  );
  const [made, setMade] = useState<CreateTokenReply>();
  const [revoking, setRevoking] = useState<PersonalToken>();
  const forget = useCallback(() => setMade(undefined), []);
  const revoke = async ({ id }: PersonalToken) => {
    await tokens.revoke(id);
    if (made?.token.id === id) forget();
    await again();
  };
  return (
    <OrganizationPage name="Tokens" service={service}>
      <p class="soft">
        A program with a personal token acts for you in this organization, with at most your current
        role, and only while you are a member.{" "}
        {isAdmin
          ? "A service account is a member that is not a person, for example for the jobs of a cluster. It is listed under People."
          : "Admins can see and revoke the tokens of all members."}
      </p>
      <Problem text={problem} />
      {found === undefined ? (
        <p class="waiting">Loading …</p>
      ) : (
        <>
          <TokenForm
            service={service}
            accounts={found.accounts}
            onMade={(reply) => (setMade(reply), void again())}
          />
          {made !== undefined && (
            <ShownOnce
              name="The token"
              secret={made.secret}
              hint={`Programs use it like an API key, for example as LOSSLESS_API_KEY. “${made.token.name}” cannot be shown again.`}
              onClose={forget}
            />
          )}
          <TokenList tokens={found.tokens} mine={person.id} onRevoke={setRevoking} />
        </>
      )}
      {revoking !== undefined && (
        <AskOnce
          title={`Revoke the token “${revoking.name}”?`}
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

/** E-mail addresses of people have an @, names of service accounts do not. */
function isServiceAccount({ email }: Person): boolean {
  return !email.includes("@");
}

interface ListProps {
  tokens: readonly PersonalToken[];
  /** Id of the person who sees the page. */
  mine: string;
  onRevoke: (token: PersonalToken) => void;
}

function TokenList({ tokens, mine, onRevoke }: ListProps) {
  return (
    <Listing
      label="Tokens"
      columns={["name", "acts for", "permissions", "created", "last used", "expires", ""]}
      rows={tokens.map((token) => ({
        key: token.id,
        cells: [
          <span class="name">
            <bdi>{token.name}</bdi>
          </span>,
          <span class="name">
            <bdi>{token.owner}</bdi> {token.person === mine && <span class="mark">you</span>}
          </span>,
          scopeWords[token.scope],
          <Age at={token.created} />,
          <Age at={token.lastUsed} />,
          token.expires === null ? "never" : <Age at={token.expires} />,
          <button
            type="button"
            aria-label={`Revoke ${token.name} of ${token.owner}, created ${token.created}`}
            onClick={() => onRevoke(token)}
          >
            Revoke
          </button>,
        ],
      }))}
      empty="No tokens."
    />
  );
}
