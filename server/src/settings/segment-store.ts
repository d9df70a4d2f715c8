import { originOf } from "../ground/origin.ts";
import { ConfigError } from "./options.ts";

/** A prefix of an S3 bucket of the operator's own. Plain data: it crosses threads. */
export interface SegmentStore {
  endpoint: string;
  bucket: string;
  /**
   * Prefix of the keys, never empty, without slashes at its ends: the bucket may hold other objects
   * too.
   */
  prefix: string;
  signingRegion: string;
  pathStyle: boolean;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the store of sealed points given by `--segments`. Throws ConfigError. */
export function segmentStoreOf(
  text: string,
  databaseUrl: string | undefined,
  variables: Variables,
): SegmentStore {
  if (databaseUrl === undefined) {
    throw new ConfigError("--segments needs --database-url: embedded, segments are files.");
  }
  return ownStoreOf("--segments", text, variables);
}

/**
 * Reads `s3://bucket/prefix?endpoint=…&region=…&pathStyle=true`; credentials and omitted settings
 * come from the variables of AWS's tools. Throws ConfigError, whose message begins with `givenAs`.
 */
export function ownStoreOf(givenAs: string, text: string, variables: Variables): SegmentStore {
  const [, bucket = "", prefix = "", search = ""] =
    /^s3:\/\/([A-Za-z0-9][\w.-]{0,254})\/([\w./-]+?)\/?(?:\?(.*))?$/.exec(text) ?? [];
  const isPlain = prefix.split("/").every((segment) => /[^.]/.test(segment));
  if (bucket === "" || !isPlain) {
    throw new ConfigError(`${givenAs} must be like s3://bucket/prefix.`);
  }
  const given = parametersOf(givenAs, search);
  const signingRegion =
    given.get("region") ?? variables.AWS_REGION ?? variables.AWS_DEFAULT_REGION ?? "us-east-1";
  const endpoint = given.get("endpoint") ?? variables.AWS_ENDPOINT_URL;
  const pathStyle = given.get("pathStyle") ?? String(endpoint !== undefined);
  if (!/^[\w-]{1,64}$/.test(signingRegion)) throw new ConfigError(`${givenAs}: no such region.`);
  if (!/^(true|false)$/.test(pathStyle)) {
    throw new ConfigError(`${givenAs}: pathStyle must be true or false.`);
  }
  const origin = originOf(endpoint ?? `https://s3.${signingRegion}.amazonaws.com`);
  if (origin === undefined) {
    throw new ConfigError(`${givenAs}: the endpoint must be like https://s3.example.`);
  }
  return {
    endpoint: origin,
    bucket,
    prefix,
    signingRegion,
    pathStyle: pathStyle === "true",
    accessKeyId: required(givenAs, variables, "AWS_ACCESS_KEY_ID"),
    secretAccessKey: required(givenAs, variables, "AWS_SECRET_ACCESS_KEY"),
    sessionToken: variables.AWS_SESSION_TOKEN,
  };
}

function parametersOf(givenAs: string, search: string): Map<string, string> {
  const given = new Map(new URLSearchParams(search));
  for (const name of given.keys()) {
    if (["endpoint", "region", "pathStyle"].includes(name)) continue;
    throw new ConfigError(`${givenAs} knows no "${name}", only endpoint, region and pathStyle.`);
  }
  return given;
}

function required(givenAs: string, variables: Variables, name: string): string {
  const value = variables[name];
  if (value === undefined || value === "") {
    throw new ConfigError(`${givenAs} needs the variable ${name}.`);
  }
  return value;
}
