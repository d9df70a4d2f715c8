import type { Connection, OrganizationView } from "@lossless/client";
import { useState } from "preact/hooks";
import type { PathProps } from "../../page.ts";
import { Age } from "../../parts/age.tsx";
import { AskOnce } from "../../parts/ask-once.tsx";
import { Listing } from "../../parts/listing.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAnswer } from "../../parts/use-answer.ts";
import { isAtLeast } from "../../rights.ts";
import { ConnectionSteps } from "./connection-steps.tsx";
import { cloudNames } from "./identifiers.ts";
import { OrganizationPage } from "./organization-page.tsx";
import { countedText } from "../../parts/words.ts";

/** `/organization/connections?connect=`: the id of a connection to set up, or `new`. */
export function ConnectionsPage({ service, location: address }: PathProps) {
  const { organization } = service.client;
  const isAdmin = isAtLeast(service.session.role, "admin");
  const { found, problem, again } = useAnswer(() => organization.view(), [organization]);
  const [removing, setRemoving] = useState<Connection>();
  const connecting = address.parameter("connect");
  const open = (id: string | undefined) => address.change({ connect: id }, true);
  return (
    <OrganizationPage name="Connections" service={service}>
      <p class="soft">
        A connected cloud account allows this service to create and use buckets there, all with the
        same name prefix. The service stores no lasting secret of the account.
      </p>
      <Problem text={problem} />
      {found === undefined ? (
        <p class="waiting">Loading …</p>
      ) : isAdmin && connecting !== undefined ? (
        <ConnectionSteps
          key={connecting}
          service={service}
          view={found}
          connection={found.connections.find(({ id }) => id === connecting)}
          isNew={connecting === "new"}
          again={again}
          onOpen={open}
        />
      ) : (
        <>
          <Listing
            label="Connections"
            columns={["name", "cloud", "state", "created", ...(isAdmin ? [""] : [])]}
            rows={found.connections.map((one) => ({
              key: one.id,
              cells: cellsOf(one, found, isAdmin, open, setRemoving),
            }))}
            empty="No cloud is connected."
          />
          {isAdmin && (
            <p class="actions">
              <button type="button" class="strong" onClick={() => open("new")}>
                Connect a cloud
              </button>
            </p>
          )}
        </>
      )}
      {removing !== undefined && (
        <AskOnce
          title={`Remove the connection “${removing.name}”?`}
          verb="Remove"
          onConfirm={async () => {
            await organization.removeConnection(removing.id);
            await again();
          }}
          onClose={() => setRemoving(undefined)}
        >
          <p>
            Versions at its retired locations can no longer be read through this service, and the id
            of the connection is never used again. Everything in the cloud account stays, so remove
            the trust there, too. A connection that an active location uses cannot be removed.
          </p>
        </AskOnce>
      )}
    </OrganizationPage>
  );
}

function cellsOf(
  one: Connection,
  { locations }: OrganizationView,
  isAdmin: boolean,
  onOpen: (id: string) => void,
  onRemove: (one: Connection) => void,
) {
  const used = locations.filter(({ connection }) => connection === one.id).length;
  return [
    <span class="name">
      <bdi>{one.name}</bdi>
    </span>,
    cloudNames[one.cloud],
    <>
      {one.state === "active" ? "active" : "setup not finished"}
      {used > 0 && `, ${countedText(used, "location")}`}
      {one.error !== null && (
        <>
          <br />
          <span class="bad name">{one.error}</span>
        </>
      )}
    </>,
    <Age at={one.created} />,
    ...(isAdmin
      ? [
          <span class="inline">
            <button
              type="button"
              class={one.state === "pending" ? "strong" : undefined}
              aria-label={`${one.state === "pending" ? "Continue with" : "Set up"} ${one.name}`}
              onClick={() => onOpen(one.id)}
            >
              {one.state === "pending" ? "Continue" : "Set up"}
            </button>
            <button type="button" aria-label={`Remove ${one.name}`} onClick={() => onRemove(one)}>
              Remove
            </button>
          </span>,
        ]
      : []),
  ];
}
