import type { Connection, OrganizationView } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";
import { useState } from "preact/hooks";
import { Copy } from "../../parts/copy.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAct } from "../../parts/use-act.ts";
import { withoutReload } from "../../parts/without-reload.ts";
import type { Service } from "../../signed-in.ts";
import { AddLocation } from "./add-location.tsx";
import { type CloudName, cloudNames } from "./identifiers.ts";
import { IdentifiersForm } from "./identifiers-form.tsx";

interface Props {
  service: Service;
  view: OrganizationView;
  /** The connection; undefined before it is made, or after another member removed it. */
  connection: Connection | undefined;
  isNew: boolean;
  again: () => Promise<void>;
  onOpen: (id: string | undefined) => void;
}

/** Steps from a cloud account to a bucket in it, derived from the state of the connection. */
export function ConnectionSteps(props: Props) {
  const { service, view, connection, isNew, again, onOpen } = props;
  const [made, setMade] = useState<string>();
  if (connection === undefined && !isNew)
    return (
      <>
        <p role="alert">This connection no longer exists: it was removed.</p>
        <BackButton onOpen={onOpen} />
      </>
    );
  return (
    <>
      <ol class="steps">
        <Step title="Choose the cloud" isDone={connection !== undefined}>
          {connection === undefined ? (
            <ChooseCloud service={service} again={again} onOpen={onOpen} />
          ) : (
            <p>
              {cloudNames[connection.cloud]}, named <bdi>{connection.name}</bdi>.
            </p>
          )}
        </Step>
        <Step title="Run the script in the account" isDone={connection?.state === "active"}>
          {connection === undefined ? null : <Script connection={connection} />}
        </Step>
        <Step
          title="Enter what the script printed, and check it"
          isDone={connection?.state === "active"}
        >
          {connection === undefined ? null : (
            <IdentifiersForm
              key={connection.id}
              service={service}
              connection={connection}
              again={again}
            />
          )}
        </Step>
        <Step title="Create a bucket there" isDone={made !== undefined}>
          {made !== undefined ? (
            <p role="status">
              “{made}” was created and tested.{" "}
              <a href="/organization/locations">Show all locations</a>
            </p>
          ) : connection?.state === "active" ? (
            <AddLocation
              service={service}
              kind="created"
              view={view}
              connection={connection.id}
              onAdded={({ name }) => {
                setMade(name);
                void again();
              }}
            />
          ) : null}
        </Step>
      </ol>
      <BackButton onOpen={onOpen} />
    </>
  );
}

function BackButton({ onOpen }: Pick<Props, "onOpen">) {
  return (
    <p class="actions">
      <button type="button" onClick={() => onOpen(undefined)}>
        Show all connections
      </button>
    </p>
  );
}

interface StepProps {
  title: string;
  isDone: boolean;
  children: preact.ComponentChildren;
}

function Step({ title, isDone, children }: StepProps) {
  return (
    <li>
      <h2>
        {title} {isDone && <span class="mark">done</span>}
      </h2>
      {children}
    </li>
  );
}

function ChooseCloud({ service, again, onOpen }: Pick<Props, "service" | "again" | "onOpen">) {
  const [cloud, setCloud] = useState<CloudName>("aws");
  const [name, setName] = useState("");
  const { isBusy, problem, act } = useAct();
  const make = () =>
    act(async () => {
      const { id } = await service.client.organization.createConnection({ cloud, name });
      await again();
      onOpen(id);
    });
  return (
    <form class="fields" onSubmit={withoutReload(make)}>
      <fieldset class="choices">
        <legend>Cloud</legend>
        {(Object.keys(cloudNames) as CloudName[]).map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="cloud"
              checked={cloud === each}
              onChange={() => setCloud(each)}
            />{" "}
            {cloudNames[each]}
          </label>
        ))}
      </fieldset>
      <label>
        Name <span class="soft">shown to people</span>
        <input
          value={name}
          required
          maxLength={limits.labelCharactersMax}
          placeholder="research account"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <Problem text={problem} />
      <p class="actions">
        <button class="strong" disabled={isBusy}>
          Continue
        </button>
      </p>
    </form>
  );
}

const programs: Readonly<Record<CloudName, string>> = {
  aws: "aws",
  gcp: "gcloud",
  azure: "az",
};

function Script({ connection }: { connection: Connection }) {
  const { cloud, setup, subject, issuer } = connection;
  return (
    <>
      <p>
        Run the script in a shell that is signed in to the account as an administrator (
        {programs[cloud]}), for example the cloud's own shell in the browser. The script says what
        it will do and asks first. You can run it again. It makes the account trust only tokens of{" "}
        {issuer} for <code>{subject}</code>.
      </p>
      <p class="actions">
        <Copy text={setup} label="Copy the script" isSecret />
      </p>
      <details>
        <summary>Show the script</summary>
        <pre tabIndex={0}>{setup}</pre>
      </details>
    </>
  );
}
