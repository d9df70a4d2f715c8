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
      <h2 id="erase">Erase the account</h2>
      <p class="soft">
        Your address and your sign-ins are forgotten; what you recorded stays with its organization.
      </p>
      <p class="actions">
        <button type="button" class="end" onClick={() => setIsAsking(true)}>
          Erase the account …
        </button>
      </p>
      {isAsking && (
        <AskOnce
          title="Erase your account?"
          verb="Erase it for ever"
          onConfirm={erase}
          onClose={() => setIsAsking(false)}
        >
          <p>
            You leave every organization and are signed out everywhere, and your tokens end. The
            audit log and your notes call you by a pseudonym. This cannot be undone.
          </p>
          <div class="fields">
            <label>
              Your address, to be sure
              <input
                type="email"
                autocomplete="off"
                maxLength={limits.emailCharactersMax}
                value={email}
                onInput={({ currentTarget }) => setEmail(currentTarget.value)}
              />
            </label>
            <label>
              Password; none if your organization signs you in
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
