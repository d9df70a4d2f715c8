import { useState } from "preact/hooks";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { useAnswer } from "../../parts/use-answer.ts";
import { isAtLeast } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";
import { countedText } from "../../parts/words.ts";

/** Whether the provider manages members by SCIM, and its token. */
export function ScimPart({ service }: { service: Service }) {
  const { signOn } = service.client;
  const isOwner = isAtLeast(service.session.role, "owner");
  const { found, problem, again } = useAnswer(() => signOn.readScim(), [signOn]);
  const { isBusy, problem: refusal, act } = useAct();
  const [secret, setSecret] = useState<string>();
  const [isEnding, setIsEnding] = useState(false);
  if (found === undefined) return <Problem text={problem} />;
  const { address, token, users, groups } = found;
  const make = () =>
    act(async () => {
      setSecret((await signOn.createScimToken()).secret);
      await again();
    });
  return (
    <section aria-labelledby="scim">
      <h2 id="scim">People and groups by SCIM</h2>
      <dl class="known">
        <dt>Base address, to enter at the provider</dt>
        <dd>
          <code>{address}</code> <Copy text={address} label="Copy" />
        </dd>
        <dt>Token</dt>
        <dd>
          {token === null
            ? "none"
            : `created ${token.created}, last used ${token.lastUsed ?? "never"}`}
        </dd>
        <dt>Sent by the provider</dt>
        <dd>
          {countedText(users, "user")}, {countedText(groups, "group")}
        </dd>
      </dl>
      {secret !== undefined && (
        <p role="status">
          Shown only once: <code>{secret}</code> <Copy text={secret} label="Copy" />
        </p>
      )}
      {isOwner && (
        <p class="actions">
          <button type="button" disabled={isBusy} onClick={() => void make()}>
            {token === null ? "Create a SCIM token" : "Replace the SCIM token"}
          </button>
          {token !== null && (
            <button type="button" onClick={() => setIsEnding(true)}>
              Turn off SCIM
            </button>
          )}
        </p>
      )}
      <Problem text={refusal} />
      {isEnding && (
        <AskOnce
          title="Turn off SCIM?"
          verb="Turn off"
          onConfirm={async () => {
            await signOn.endScim();
            setSecret(undefined);
            await again();
          }}
          onClose={() => setIsEnding(false)}
        >
          <p>The token and all users and groups sent with it are removed. People stay members.</p>
        </AskOnce>
      )}
    </section>
  );
}
