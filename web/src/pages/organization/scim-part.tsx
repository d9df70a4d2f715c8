import { useState } from "preact/hooks";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Copy } from "../../parts/copy.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { useAnswer } from "../../parts/use-answer.ts";
import { isAtLeast } from "../../rights.ts";
import type { Service } from "../../signed-in.ts";

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
        <dt>Base address, to be set at the provider</dt>
        <dd>
          <code>{address}</code> <Copy text={address} label="Copy" />
        </dd>
        <dt>Token</dt>
        <dd>
          {token === null
            ? "none"
            : `made ${token.created}, last used ${token.lastUsed ?? "never"}`}
        </dd>
        <dt>Sent by the provider</dt>
        <dd>
          {users} users, {groups} groups
        </dd>
      </dl>
      {secret !== undefined && (
        <p role="status">
          Shown only now: <code>{secret}</code> <Copy text={secret} label="Copy" />
        </p>
      )}
      {isOwner && (
        <p class="actions">
          <button type="button" disabled={isBusy} onClick={() => void make()}>
            {token === null ? "Make a SCIM token" : "Replace the SCIM token"}
          </button>
          {token !== null && (
            <button type="button" onClick={() => setIsEnding(true)}>
              End SCIM
            </button>
          )}
        </p>
      )}
      <Problem text={refusal} />
      {isEnding && (
        <AskOnce
          title="End SCIM?"
          verb="End"
          onConfirm={async () => {
            await signOn.endScim();
            setSecret(undefined);
            await again();
          }}
          onClose={() => setIsEnding(false)}
        >
          <p>The token ends, and what the provider has sent is forgotten. People stay members.</p>
        </AskOnce>
      )}
    </section>
  );
}
