import { statSync } from "node:fs";
import { MlflowLocations, roles, SetSignOnBody, StoreLocationBody } from "@lossless/protocol";
import { explain } from "@lossless/protocol/explain";
import { limits } from "@lossless/protocol/limits";
import * as Type from "@lossless/protocol/type";
import type { Static, TProperties } from "typebox";
import { Errors } from "typebox/schema";
import { rangeOf } from "../ground/address-ranges.ts";
import { endpointProblem } from "../ground/cloud-addresses.ts";
import { readJsonFile } from "./config.ts";
import { ConfigError } from "./options.ts";
import { isOwnApiKey } from "../ground/secrets.ts";

const closed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });
/** A name as shown in lists and logs. */
const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: "^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$",
});

/** A maximum; null removes it, an absent one stays. */
const maximum = Type.Optional(
  Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()]),
);

const Organization = closed({
  name,
  quotas: Type.Optional(
    closed({ bytes: maximum, experiments: maximum, partitions: maximum, pendingUploads: maximum }),
  ),
  apiKeys: Type.Optional(Type.Array(closed({ name, secret: Type.String() }))),
  people: Type.Optional(
    Type.Array(
      closed({
        email: Type.String({ minLength: 3, maxLength: 320, pattern: "^[^@\\s]+@[^@\\s]+$" }),
        password: Type.String({ minLength: 1, maxLength: 1_024 }),
        role: Type.Union([
          Type.Literal("owner"),
          Type.Literal("admin"),
          Type.Literal("member"),
          Type.Literal("viewer"),
        ]),
      }),
    ),
  ),
  locations: Type.Optional(
    Type.Array(StoreLocationBody, { maxItems: limits.locationsPerOrganizationMax }),
  ),
  signOn: Type.Optional(SetSignOnBody),
  mlflowLocations: Type.Optional(MlflowLocations.properties.allowed),
  trashDays: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.trashDaysMax })),
});

const endpoint = Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 }));
const Clouds = closed({
  aws: Type.Optional(closed({ sts: endpoint, s3: endpoint })),
  gcp: Type.Optional(closed({ sts: endpoint, iamCredentials: endpoint, storage: endpoint })),
  azure: Type.Optional(closed({ login: endpoint, management: endpoint, blob: endpoint })),
});

const ProvisionFile = closed({
  organizations: Type.Optional(Type.Array(Organization)),
  clouds: Type.Optional(Clouds),
  egress: Type.Optional(closed({ allowPrivate: Type.Array(Type.String()) })),
});

/**
 * The contents of `--provision FILE`. Names are the identity: applying it again changes nothing,
 * and nothing is deleted.
 */
export type ProvisionFile = Static<typeof ProvisionFile>;
export type ProvisionedOrganization = Static<typeof Organization>;

/** Reads and checks the whole file; throws ConfigError with the place, never with a secret. */
export function readProvisionFile(path: string): ProvisionFile {
  return checkProvision(readJsonFile(path, "--provision"), path);
}

/** Returns a warning about a file whose secrets others can read; undefined when there is none. */
export function readableSecrets(path: string, file: ProvisionFile): string | undefined {
  const hasSecrets = (file.organizations ?? []).some(
    ({ apiKeys = [], people = [], locations = [], signOn }) =>
      apiKeys.length + people.length + locations.length > 0 ||
      typeof signOn?.clientSecret === "string",
  );
  if (!hasSecrets || process.platform === "win32") return undefined;
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o044) === 0) return undefined;
  return (
    `The provision file ${path} has keys or passwords, and other users of this machine can read it (mode ` +
    `${mode.toString(8).padStart(4, "0")}): run chmod 600 on it, and change secrets that may have been read.`
  );
}

export function checkProvision(content: unknown, path: string): ProvisionFile {
  refuseCreatedLocations(path, content);
  refuseSignOns(path, content);
  const [error] = Errors(ProvisionFile, content)[1];
  if (error !== undefined) {
    const pointer = error.instancePath === "" ? "the file" : error.instancePath;
    throw new ConfigError(`${path}: ${pointer} ${problemOf(pointer, error)}.`);
  }
  const file = content as ProvisionFile;
  const organizations = file.organizations ?? [];
  refuseRepeated(
    path,
    "organization name",
    organizations.map((one) => one.name),
  );
  for (const organization of organizations) {
    const keys = organization.apiKeys ?? [];
    const people = organization.people ?? [];
    refuseRepeated(
      path,
      `API key name of ${organization.name}`,
      keys.map((key) => key.name),
    );
    refuseRepeated(
      path,
      `email of ${organization.name}`,
      people.map(({ email }) => email.toLowerCase()),
    );
    checkLocations(path, organization);
    for (const key of keys) {
      if (isOwnApiKey(key.secret)) continue;
      throw new ConfigError(
        `${path}: the secret of the API key "${key.name}" of "${organization.name}" must be ak_ and ` +
          "characters of A-Z a-z 0-9 _ -, 40 to 1,000 in all.",
      );
    }
  }
  const secrets = organizations.flatMap(({ apiKeys }) =>
    (apiKeys ?? []).map(({ secret }) => secret),
  );
  if (new Set(secrets).size < secrets.length) {
    throw new ConfigError(`${path}: two API keys have the same secret.`);
  }
  refuseTwoPasswords(path, organizations);
  for (const range of file.egress?.allowPrivate ?? []) checkRange(path, range);
  checkEndpoints(path, file.clouds ?? {});
  return file;
}

/** The schema's own message names a form and not the words. */
function problemOf(pointer: string, { keyword, message }: SchemaError): string {
  if (/^\/organizations\/\d+\/people\/\d+\/role$/.test(pointer))
    return `must be one of ${roles.join(", ")}`;
  if (/^\/organizations\/\d+\/locations\/\d+\/kind$/.test(pointer)) return 'must be "s3"';
  if (keyword === "boolean") return "is not a known field";
  if (/^\/organizations\/\d+\/quotas\//.test(pointer))
    return "must be a whole number from 1 on, or null for no limit";
  if (keyword !== "pattern") return message;
  if (pointer.endsWith("/email")) return "must be an e-mail address";
  return pointer.endsWith("/name") ? "must not be blank or contain control characters" : message;
}

type SchemaError = ReturnType<typeof Errors>[1][number];

/** A body of `POST /locations` as well, which needs a connected cloud account. */
function refuseCreatedLocations(path: string, content: unknown): void {
  const file = content as { organizations?: { locations?: { kind?: unknown }[] }[] } | null;
  const organizations = Array.isArray(file?.organizations) ? file.organizations : [];
  for (const [index, organization] of organizations.entries()) {
    const locations = Array.isArray(organization?.locations) ? organization.locations : [];
    const at = locations.findIndex((one) => one?.kind === "created");
    if (at < 0) continue;
    throw new ConfigError(
      `${path}: /organizations/${index}/locations/${at} is of the kind "created", which needs a connected ` +
        "cloud account: it is made with POST /api/v1/locations or lossless locations add --connection.",
    );
  }
}

/** Refuses invalid sign-ons, in the sentences of the HTTP interface for the same body. */
function refuseSignOns(path: string, content: unknown): void {
  const file = content as { organizations?: { signOn?: object }[] } | null;
  const organizations = Array.isArray(file?.organizations) ? file.organizations : [];
  for (const [index, organization] of organizations.entries()) {
    const signOn = organization?.signOn;
    if (signOn === undefined) continue;
    const at = `organizations[${index}].signOn`;
    if (Errors(SetSignOnBody, signOn)[1].length > 0) {
      const [{ path: place, message }] = explain(SetSignOnBody, signOn, at);
      throw new ConfigError(`${path}: ${place} ${message}.`);
    }
    if ("clientSecret" in signOn) continue;
    throw new ConfigError(
      `${path}: ${at} has no clientSecret; null says that the client is a public one, without a secret.`,
    );
  }
}

function checkLocations(path: string, { name, locations = [] }: ProvisionedOrganization): void {
  const bucketOf = (one: StoreLocationBody) =>
    [URL.parse(one.endpoint)?.origin ?? one.endpoint, one.bucket, one.path].join(" ");
  refuseRepeated(path, `location of ${name}`, locations.map(bucketOf));
  const names = locations.flatMap((one) => (one.name === undefined ? [] : [one.name]));
  refuseRepeated(path, `location name of ${name}`, names);
  if (locations.filter(({ fallback }) => fallback === true).length > 1) {
    throw new ConfigError(`${path}: "${name}" has two locations that are the fallback.`);
  }
}

function refuseRepeated(path: string, what: string, names: string[]): void {
  const repeated = names.find((one, index) => names.indexOf(one) < index);
  if (repeated !== undefined)
    throw new ConfigError(`${path}: the ${what} "${repeated}" is repeated.`);
}

/** Refuses two passwords of one person, who may be in several organizations. */
function refuseTwoPasswords(path: string, organizations: ProvisionedOrganization[]): void {
  const passwords = new Map<string, string>();
  for (const { email, password } of organizations.flatMap(({ people = [] }) => people)) {
    const known = passwords.get(email.toLowerCase());
    if (known !== undefined && known !== password) {
      throw new ConfigError(`${path}: "${email}" has two different passwords.`);
    }
    passwords.set(email.toLowerCase(), password);
  }
}

function checkEndpoints(path: string, clouds: Static<typeof Clouds>): void {
  for (const cloud of ["aws", "gcp", "azure"] as const) {
    for (const [field, template] of Object.entries(clouds[cloud] ?? {})) {
      const problem = endpointProblem(cloud, field, template);
      if (problem === undefined) continue;
      throw new ConfigError(`${path}: clouds.${cloud}.${field} ${problem}.`);
    }
  }
}

/** Checks an address range in CIDR form, as BlockList takes it. */
function checkRange(path: string, range: string): void {
  if (!range.includes("/") || rangeOf(range) === undefined) {
    throw new ConfigError(
      `${path}: egress.allowPrivate has "${range}", which is not a range like 10.0.0.0/8.`,
    );
  }
}
