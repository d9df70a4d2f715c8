import { limits } from "@lossless/protocol/limits";
import { useState } from "preact/hooks";
import { AskOnce } from "../../parts/ask-once.tsx";
import type { Service } from "../../signed-in.ts";
import { leaveTo } from "../../base-path.ts";

/** Erases the account, after a question. */
export function EraseAccount({ service }: { service: Service }) {
  const [isAsking, setIsAsking] = useState(false);
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const erase = async () => {
    await service.client.account.erase(email.trim(), password === "" ? undefined : password);
    leaveTo("/sign-in");
  };
  return (
    <section aria-labelledby="erase">
      <h2 id="erase">Erase your account</h2>
      <p class="soft">
        This removes your e-mail address and your sign-ins. What you recorded stays with its
        organization.
      </p>
      <p class="actions">
        <button type="button" class="end" onClick={() => setIsAsking(true)}>
          Erase your account…
        </button>
      </p>
      {isAsking && (
        <AskOnce
          title="Erase your account?"
          verb="Erase for ever"
          onConfirm={erase}
          onClose={() => setIsAsking(false)}
        >
          <p>
            You leave every organization, you are signed out everywhere, and your tokens stop
            working. The audit log and your notes show a pseudonym in place of your address. This
            cannot be undone.
          </p>
          <div class="fields">
            <label>
              Type your e-mail address to confirm
              <input
                type="email"
                autocomplete="off"
                maxLength={limits.emailCharactersMax}
                value={email}
                onInput={({ currentTarget }) => setEmail(currentTarget.value)}
              />
            </label>
            <label>
              Password (empty if you sign in through your organization)
              <input
                type="password"
                autocomplete="current-password"
                maxLength={limits.passwordCharactersMax}
                value={password}
                onInput={({ currentTarget }) => setPassword(currentTarget.value)}
              />
            </label>
          </div>
        </AskOnce>
      )}
    </section>
  );
}
