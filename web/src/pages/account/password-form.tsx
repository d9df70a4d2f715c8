import { limits } from "@lossless/protocol/limits";
import { useRef, useState } from "preact/hooks";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { withoutReload } from "../../parts/without-reload.ts";
import type { Service } from "../../signed-in.ts";

export function PasswordForm({ service }: { service: Service }) {
  const form = useRef<HTMLFormElement>(null);
  const [isChanged, setIsChanged] = useState(false);
  const { isBusy, problem, act, setProblem } = useAct();
  const change = async () => {
    const fields = new FormData(form.current!);
    const [current, next, again] = ["current", "next", "again"].map(
      (name) => fields.get(name) as string,
    ) as [string, string, string];
    setIsChanged(false);
    if (next !== again) return setProblem("The two new passwords do not match.");
    const isDone = await act(() => service.client.account.changePassword(current, next));
    // Typed text is kept on failure, and cleared once it is useless.
    if (isDone) form.current!.reset();
    setIsChanged(isDone);
  };
  return (
    <section aria-labelledby="password">
      <h2 id="password">Password</h2>
      <p class="soft">
        Changing the password signs you out of every other session and of every command line.
      </p>
      <form class="fields" ref={form} onSubmit={withoutReload(change)}>
        {/* For the browser's password manager. */}
        <input
          class="unseen"
          type="text"
          autocomplete="username"
          value={service.session.person.email}
          aria-hidden="true"
          tabIndex={-1}
          readOnly
        />
        <Field name="current" label="Current password" autocomplete="current-password" least={1} />
        <Field name="next" label="New password" autocomplete="new-password" />
        <Field name="again" label="Repeat the new password" autocomplete="new-password" />
        <Problem text={problem} />
        <p class="actions">
          <button class="strong" disabled={isBusy}>
            Change password
          </button>
          <span role="status">
            {isChanged && "The password was changed. All other sign-ins have ended."}
          </span>
        </p>
      </form>
    </section>
  );
}

function Field({
  name,
  label,
  autocomplete,
  least = limits.passwordCharactersMin,
}: {
  name: string;
  label: string;
  autocomplete: "current-password" | "new-password";
  least?: number;
}) {
  return (
    <label>
      {label}
      <input
        type="password"
        name={name}
        autocomplete={autocomplete}
        required
        minLength={least}
        maxLength={limits.passwordCharactersMax}
      />
    </label>
  );
}
