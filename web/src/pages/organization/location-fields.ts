import type { CreateLocationBody } from "@lossless/client";

/** A field in the form of a new location. */
export interface Field {
  name: string;
  label: string;
  hint?: string;
  isRequired?: boolean;
  isSecret?: boolean;
}

const name: Field = {
  name: "name",
  label: "Name",
  hint: "shown to people; the bucket's name if empty",
  isRequired: false,
};

export const locationFields: Readonly<Record<"s3" | "created", readonly Field[]>> = {
  s3: [
    { name: "endpoint", label: "Endpoint", hint: "https://host[:port]" },
    { name: "bucket", label: "Bucket" },
    { name: "path", label: "Path", hint: "prefix of all keys; optional", isRequired: false },
    { name: "signingRegion", label: "Region for signatures", hint: "us-east-1, auto, garage …" },
    { name: "accessKeyId", label: "Access key id" },
    {
      name: "secretAccessKey",
      label: "Secret access key",
      hint: "stored encrypted, never shown again",
      isSecret: true,
    },
    { name: "cloud", label: "Cloud of the store", hint: "aws, our-cluster …" },
    { name: "region", label: "Region in that cloud", hint: "used to choose the nearest location" },
    name,
  ],
  created: [
    { name: "region", label: "Region", hint: "eu-central-1, europe-west4, westeurope …" },
    { ...name, hint: "shown to people; cloud and region if empty" },
  ],
};

/** The body of `POST /locations`; the service validates it. */
export function locationBody(
  kind: "s3" | "created",
  form: Pick<FormData, "get">,
): CreateLocationBody {
  const body: Record<string, string | boolean> = { kind };
  const text = (field: string) => {
    const value = form.get(field);
    return typeof value === "string" ? value : "";
  };
  if (kind === "created") body["connection"] = text("connection");
  for (const field of locationFields[kind]) {
    // Pasted text may have spaces at its ends, which not even secrets contain.
    const value = text(field.name).trim();
    if (value !== "" || field.name !== "name") body[field.name] = value;
  }
  if (kind === "s3") {
    body["pathStyle"] = form.get("pathStyle") !== null;
    body["fallback"] = form.get("fallback") !== null;
  }
  return body as unknown as CreateLocationBody;
}
