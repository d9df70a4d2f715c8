import type { Connection } from "@lossless/client";
import { useState } from "preact/hooks";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { withoutReload } from "../../parts/without-reload.ts";
import type { Service } from "../../signed-in.ts";
import { completeBody, identifiersOf, pastedIdentifiers } from "./identifiers.ts";

interface Props {
  service: Service;
  connection: Connection;
  again: () => Promise<void>;
}

/** Identifiers of the service in the account: pasted or typed, and tried at once. */
export function IdentifiersForm({ service, connection, again }: Props) {
  const { id, cloud, state, error } = connection;
  const [values, setValues] = useState<Record<string, string>>(() => storedValues(connection));
  const [isAccepted, setIsAccepted] = useState(false);
  const { isBusy, problem, act } = useAct();
  const check = async () => {
    setIsAccepted(false);
    const body = completeBody(cloud, values);
    setIsAccepted(await act(() => service.client.organization.completeConnection(id, body)));
    await again();
  };
  return (
    <form class="fields" onSubmit={withoutReload(check)}>
      <label>
        Paste the last lines that the script printed{" "}
        <span class="soft">or fill in the fields below</span>
        <textarea
          rows={3}
          spellcheck={false}
          onInput={(event) =>
            setValues({ ...values, ...pastedIdentifiers(cloud, event.currentTarget.value) })
          }
        />
      </label>
      {identifiersOf[cloud].map(({ name, label }) => (
        <label key={name}>
          {label}
          <input
            value={values[name] ?? ""}
            required
            spellcheck={false}
            autocomplete="off"
            maxLength={2_048}
            onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <Problem text={problem ?? (isAccepted ? undefined : (error ?? undefined))} />
      {problem !== undefined && (
        <p class="soft">
          A cloud can take some minutes to know new objects everywhere. Try again later.
        </p>
      )}
      <p class="actions">
        <button class="strong" disabled={isBusy}>
          {isBusy ? "Asking the cloud …" : state === "active" ? "Check again" : "Check"}
        </button>
        <span role="status">
          {isAccepted && "The cloud accepted a token: the connection is active."}
        </span>
      </p>
    </form>
  );
}

function storedValues({ identifiers, cloud }: Connection): Record<string, string> {
  if (identifiers === null) return {};
  return { ...(identifiers as unknown as Record<string, Record<string, string>>)[cloud] };
}
