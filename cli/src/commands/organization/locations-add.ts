import { text } from "node:stream/consumers";
import type { StoreLocationBody } from "@lossless/client";
import { type Invocation, noPositionals, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { printable } from "../../output.ts";
import { createBucket } from "./locations-create.ts";
import { whatStaysLocal } from "./locations.ts";

export const add = serviceCommand({
  usage:
    "locations add --endpoint U --bucket B --access-key-id K --cloud C --region R [options]\n" +
    "       lossless locations add --connection C --region R [--name N] [--fallback]",
  help: `
Adds a bucket of an S3-compatible store, after the service has tried it: put, ranged get, multipart upload, delete.
With --connection the service makes the bucket, in a cloud account that is connected without keys; that takes up to a
minute, with Azure up to two. Give the secret access key in LOSSLESS_STORE_SECRET or on standard input; other users can
see command lines. It is sealed at rest and never shown. Needs a person with the role admin or owner: lossless login.

  --endpoint U       address of the store, https://host[:port]
  --bucket B         the bucket; it has to exist
  --access-key-id K  access key
  --cloud C          the store's cloud, used to choose a location: aws, gcp, azure, or a word of your own
  --region R         the region in that cloud
  --path P           prefix of all keys in the bucket (none)
  --signing-region R the region in signatures: us-east-1, auto, garage ... (us-east-1)
  --virtual-host     the bucket is part of the host name, not of the path
  --connection C     name or id of an active connection, in which the service makes a bucket in the region R
  --fallback         make it the fallback
  --name N           name of the location (the bucket; with --connection the cloud and the region: aws-eu-central-1)`,
  options: {
    endpoint: { type: "string" },
    bucket: { type: "string" },
    "access-key-id": { type: "string" },
    cloud: { type: "string" },
    region: { type: "string" },
    path: { type: "string" },
    "signing-region": { type: "string" },
    "virtual-host": { type: "boolean" },
    fallback: { type: "boolean" },
    name: { type: "string" },
    connection: { type: "string" },
  },
  async run(invocation) {
    const connection = invocation.values.text("connection");
    if (connection !== undefined) return createBucket(invocation, connection);
    noPositionals(invocation);
    const { values, output } = invocation;
    const name = values.text("name");
    const described: Omit<StoreLocationBody, "secretAccessKey"> = {
      kind: "s3",
      ...(name === undefined ? {} : { name }),
      endpoint: values.required("endpoint"),
      bucket: values.required("bucket"),
      path: values.text("path") ?? "",
      signingRegion: values.text("signing-region") ?? "us-east-1",
      pathStyle: !values.flag("virtual-host"),
      accessKeyId: values.required("access-key-id"),
      cloud: values.required("cloud"),
      region: values.required("region"),
      ...(values.flag("fallback") ? { fallback: true } : {}),
    };
    const client = clientOf(invocation);
    const secretAccessKey = await secretOf(invocation);
    const location = await client.organization.addLocation({ ...described, secretAccessKey });
    const more = location.fallback ? await whatStaysLocal(client, location) : [];
    output.answer(location, () => {
      const done = `${printable(location.name)} is added${location.fallback ? ", and the fallback" : ""}`;
      return [done, ...more].join("\n");
    });
  },
});

async function secretOf({ environment }: Invocation): Promise<string> {
  const given = environment["LOSSLESS_STORE_SECRET"] ?? "";
  if (given !== "") return given;
  if (process.stdin.isTTY) {
    throw new UsageError(
      "the secret access key is missing: set LOSSLESS_STORE_SECRET or pipe it to standard input",
    );
  }
  const secret = (await text(process.stdin)).trim();
  if (secret === "") throw new UsageError("standard input has no secret access key");
  return secret;
}
