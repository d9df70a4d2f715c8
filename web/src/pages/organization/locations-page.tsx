import type { Location, OrganizationView } from "@lossless/client";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { PathProps } from "../../page.ts";
import { Listing } from "../../parts/listing.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useAnswer } from "../../parts/use-answer.ts";
import { bytesText, countText } from "../../parts/words.ts";
import { isAtLeast } from "../../rights.ts";
import { AddLocation } from "./add-location.tsx";
import { LocationActions } from "./location-actions.tsx";
import { OrganizationPage } from "./organization-page.tsx";

/** `/organization/locations?add=` */
export function LocationsPage({ service, location: address }: PathProps) {
  const { organization, views } = service.client;
  const isAdmin = isAtLeast(service.session.role, "admin");
  const { found, problem, again } = useAnswer(async () => {
    const [view, { stored }] = await Promise.all([organization.view(), views.usage({ days: 1 })]);
    return { view, stored: new Map(stored.map((one) => [one.location, one])) };
  }, [organization, views]);
  const [added, setAdded] = useState<string>();
  const kind = address.parameter("add");
  const close = () => address.change({ add: undefined }, true);
  return (
    <OrganizationPage name="Locations" service={service}>
      <p class="soft">
        A version is stored at the location nearest to its writer: one in the same cloud and region,
        else the default of that cloud, else the fallback.
      </p>
      <Problem text={problem} />
      {found === undefined ? (
        <p class="waiting">Loading …</p>
      ) : (
        <>
          {!found.view.ready && (
            <p class="warn">
              There is no fallback: new versions are refused until an admin sets one.
            </p>
          )}
          <LocationList
            view={found.view}
            stored={found.stored}
            actionsOf={
              isAdmin
                ? (one) => <LocationActions service={service} location={one} again={again} />
                : undefined
            }
          />
          <p role="status" class="done">
            {added}
          </p>
          {isAdmin && kind === undefined && (
            <p class="actions">
              <button
                type="button"
                class="strong"
                onClick={() => address.change({ add: "s3" }, true)}
              >
                Add a bucket
              </button>
              <button type="button" onClick={() => address.change({ add: "created" }, true)}>
                Create a bucket in a connected cloud
              </button>
            </p>
          )}
          {isAdmin && kind !== undefined && (
            <AddLocation
              service={service}
              kind={kind === "created" ? "created" : "s3"}
              view={found.view}
              onAdded={(one) => {
                setAdded(`“${one.name}” was tested and added.`);
                close();
                void again();
              }}
              onClose={close}
            />
          )}
        </>
      )}
    </OrganizationPage>
  );
}

interface ListProps {
  view: OrganizationView;
  stored: ReadonlyMap<string, HoldsProps["stored"]>;
  /** Undefined: the role may not change locations. */
  actionsOf: ((location: Location) => ComponentChildren) | undefined;
}

function LocationList({ view, stored, actionsOf }: ListProps) {
  return (
    <Listing
      label="Locations"
      columns={[
        "name",
        "place",
        "bucket",
        "stored",
        "used for",
        ...(actionsOf !== undefined ? [""] : []),
      ]}
      rows={view.locations.map((one) => ({
        key: one.id,
        cells: [
          <span class="name">
            <bdi>{one.name}</bdi>
          </span>,
          <>
            {one.cloud} {one.region !== one.cloud && <span class="soft">{one.region}</span>}
          </>,
          <Bucket location={one} connections={view.connections} />,
          <Holds stored={stored.get(one.id)} />,
          <Marks location={one} />,
          ...(actionsOf !== undefined ? [actionsOf(one)] : []),
        ],
      }))}
      empty="No locations."
    />
  );
}

interface BucketProps {
  location: Location;
  connections: readonly { id: string; name: string }[];
}

function Bucket({ location, connections }: BucketProps) {
  const { bucket, path, endpoint, connection } = location;
  const made = connections.find(({ id }) => id === connection);
  const isOut = connection !== null && made === undefined;
  return (
    <span class="name bucket">
      <bdi>{path === "" ? bucket : `${bucket}/${path}`}</bdi>
      <br />
      <span class="soft">
        {endpoint}
        {made !== undefined && <> through the connection {made.name}</>}
        {isOut && <> its connection was removed: nothing there can be read</>}
      </span>
    </span>
  );
}

interface HoldsProps {
  stored: { versions: number; bytes: number; pendingUploads: number } | undefined;
}

function Holds({ stored }: HoldsProps) {
  if (stored === undefined) return <span class="soft">nothing</span>;
  const { versions, bytes, pendingUploads } = stored;
  return (
    <>
      {bytesText(bytes)}
      <br />
      <span class="soft">
        {countText(versions)} {versions === 1 ? "version" : "versions"}
        {pendingUploads > 0 && `, ${countText(pendingUploads)} pending`}
      </span>
    </>
  );
}

function Marks({
  location: { state, fallback, default: isDefault, cloud },
}: {
  location: Location;
}) {
  if (state === "retired") return <span class="mark">retired: read only</span>;
  return (
    <span class="inline">
      {isDefault && <span class="mark">default of {cloud}</span>}
      {fallback && <span class="mark">fallback</span>}
      {!isDefault && !fallback && <span class="soft">writers nearby</span>}
    </span>
  );
}
