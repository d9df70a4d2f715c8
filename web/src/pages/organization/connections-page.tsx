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
        A connected cloud account trusts this service to make and use buckets of one name there.
        Nothing lasting is stored here that could be lost.
      </p>
      <Problem text={problem} />
      {found === undefined ? (
        <p class="waiting">Reading …</p>
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
            columns={["name", "cloud", "state", "made", ...(isAdmin ? [""] : [])]}
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
            What is at its retired locations cannot be read through this service any more, and its
            id is never given again. In the cloud everything stays: take the trust away there, too.
            While an active location uses it, it stays.
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
      {one.state === "active" ? "active" : "not finished"}
      {used > 0 && `, ${used} ${used === 1 ? "location" : "locations"}`}
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
              aria-label={`${one.state === "pending" ? "Go on with" : "Set up"} ${one.name}`}
              onClick={() => onOpen(one.id)}
            >
              {one.state === "pending" ? "Go on" : "Set up"}
            </button>
            <button type="button" aria-label={`Remove ${one.name}`} onClick={() => onRemove(one)}>
              Remove
            </button>
          </span>,
        ]
      : []),
  ];
}
