import type { Location, OrganizationView } from "@lossless/client";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { withoutReload } from "../../parts/without-reload.ts";
import type { Service } from "../../signed-in.ts";
import { type Field, locationBody, locationFields } from "./location-fields.ts";

interface Props {
  service: Service;
  kind: "s3" | "created";
  view: OrganizationView;
  /** The connection selected at first. */
  connection?: string;
  onAdded: (location: Location) => void;
  onClose?: () => void;
}

/**
 * A form for an existing bucket, or one that the service makes in a connected cloud. Fields keep
 * their text after a refusal; the secret is in its field only.
 */
export function AddLocation({ service, kind, view, connection, onAdded, onClose }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const { isBusy, problem, act } = useAct();
  const connections = view.connections.filter(({ state }) => state === "active");
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>("input, select")?.focus(), [kind]);
  const add = () =>
    act(async () => {
      const body = locationBody(kind, new FormData(form.current!));
      onAdded(await service.client.organization.addLocation(body));
    });
  if (kind === "created" && connections.length === 0)
    return (
      <section aria-labelledby="add">
        <h2 id="add">Create a bucket in a connected cloud</h2>
        <p>
          No cloud is connected yet. <a href="/organization/connections">Connect one</a>.
        </p>
      </section>
    );
  return (
    <section aria-labelledby="add">
      <h2 id="add">{kind === "s3" ? "Add a bucket" : "Create a bucket in a connected cloud"}</h2>
      <p class="soft">
        {kind === "s3"
          ? "Any S3-compatible store. Before the service saves it, it tests the bucket: it writes, reads and deletes an object there, and uploads one in parts."
          : "The service creates the bucket in the cloud account and tests it before it saves it."}
      </p>
      <form class="fields" ref={form} onSubmit={withoutReload(add)}>
        {kind === "created" && connection === undefined && (
          <label>
            Connection
            <select name="connection">
              {connections.map(({ id, name, cloud }) => (
                <option key={id} value={id}>
                  {name} ({cloud})
                </option>
              ))}
            </select>
          </label>
        )}
        {connection !== undefined && <input type="hidden" name="connection" value={connection} />}
        {locationFields[kind].map((field) => (
          <FieldInput key={field.name} field={field} />
        ))}
        {kind === "s3" && <StoreChoices isReady={view.ready} />}
        <Problem text={problem} />
        <p class="actions">
          <button class="strong" disabled={isBusy}>
            {isBusy ? "Testing …" : "Test and add"}
          </button>
          {onClose !== undefined && (
            <button type="button" onClick={onClose}>
              Cancel
            </button>
          )}
        </p>
      </form>
    </section>
  );
}

function StoreChoices({ isReady }: { isReady: boolean }) {
  return (
    <>
      <label class="check">
        <input type="checkbox" name="pathStyle" defaultChecked /> Put the bucket's name in the path
        of addresses, not in the host name
      </label>
      <label class="check">
        <input type="checkbox" name="fallback" defaultChecked={!isReady} /> Make it the fallback
      </label>
    </>
  );
}

const charactersMax = 2_048;

function FieldInput({ field }: { field: Field }) {
  const { name, label, hint, isRequired = true, isSecret = false } = field;
  return (
    <label>
      {label}
      {hint !== undefined && <span class="soft"> {hint}</span>}
      {isSecret ? (
        <input
          name={name}
          type="password"
          required
          autocomplete="new-password"
          maxLength={charactersMax}
        />
      ) : (
        <input
          name={name}
          required={isRequired}
          autocomplete="off"
          spellcheck={false}
          maxLength={charactersMax}
        />
      )}
    </label>
  );
}
