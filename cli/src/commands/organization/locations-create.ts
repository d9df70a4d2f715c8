import type { Location, LosslessClient } from "@lossless/client";
import { type Invocation, noPositionals, UsageError } from "../../command.ts";
import { clientOf } from "../../connection.ts";
import { printable } from "../../output.ts";
import { connectionNamed } from "./connections.ts";
import { whatStaysLocal } from "./locations.ts";

/** Options of `locations add` that describe an existing bucket. */
const ofExistingBuckets = [
  "endpoint",
  "bucket",
  "access-key-id",
  "cloud",
  "path",
  "signing-region",
] as const;

/** `locations add --connection C --region R`: the service makes the bucket. */
export async function createBucket(invocation: Invocation, connection: string): Promise<void> {
  noPositionals(invocation);
  const { values, output } = invocation;
  const foreign = ofExistingBuckets.find((option) => values.text(option) !== undefined);
  if (foreign !== undefined || values.flag("virtual-host")) {
    throw new UsageError(
      `--${foreign ?? "virtual-host"} is for an existing bucket; with --connection the service makes one`,
    );
  }
  const region = values.required("region");
  const name = values.text("name");
  const client = clientOf(invocation);
  const { id } = await connectionNamed(client, connection);
  const added = await client.organization.addLocation({
    kind: "created",
    connection: id,
    region,
    ...(name === undefined ? {} : { name }),
  });
  const isFallback = values.flag("fallback");
  // Two requests: the bucket is made and stays, even if the second one fails.
  const location = isFallback ? await madeFallback(invocation, client, added) : added;
  const more = isFallback ? await whatStaysLocal(client, location) : [];
  output.answer(location, () => {
    const { cloud, bucket, endpoint } = location;
    const role = isFallback ? ", and the fallback" : "";
    const done = `${printable(location.name)} is added${role}: bucket ${bucket} at ${endpoint} (${cloud})`;
    return [done, ...more].join("\n");
  });
}

async function madeFallback(
  { output }: Invocation,
  client: LosslessClient,
  { id, name, bucket }: Location,
): Promise<Location> {
  try {
    return await client.organization.updateLocation(id, { fallback: true });
  } catch (error) {
    output.warning(
      `The location ${printable(name)} (${id}) is added, with the bucket ${bucket}, but is not the fallback: do not ` +
        `add it again, run lossless locations fallback ${id}.`,
    );
    throw error;
  }
}
