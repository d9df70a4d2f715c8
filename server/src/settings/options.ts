import { limits } from "@lossless/protocol/limits";
import { rangeOf } from "../ground/address-ranges.ts";
import { baseAddress } from "../ground/base-address.ts";
import { parsePostgresUrl, PostgresUrlError } from "../ground/postgres-url.ts";

/** A wrong option, file or value: the process prints the sentence and exits with code 2. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

export interface Option<Value> {
  /** Placeholder for the value in the help text. */
  readonly placeholder: string;
  /** The default as the help text shows it. */
  readonly shownDefault: string;
  readonly help: string;
  readonly defaultValue: Value;
  /** Reads the text of a flag, a variable or a file's value; throws ConfigError with the rule. */
  parse(text: string): Value;
}

const mebibyte = 1_048_576;

/**
 * All options of the service. The name `maxBodyBytes` is the flag `--max-body-bytes`, the variable
 * `LOSSLESS_MAX_BODY_BYTES` and the key `max-body-bytes` (or `maxBodyBytes`) of the `--config`
 * file.
 */
export const options = {
  data: text("DIR", "./lossless-data", "everything the embedded service stores"),
  artifacts: optional(
    "DIR",
    path,
    "artifacts in the data directory",
    "files of the built-in location; with several nodes a shared directory",
  ),
  host: text("H", "127.0.0.1", "listen address"),
  port: integer("N", 7070, 0, 65_535, "listen port; 0 uses a free one"),
  baseUrl: optional(
    "U",
    serviceAddress,
    "the listen address",
    "the address clients use, for links; it may have a path",
  ),
  issuerUrl: optional(
    "U",
    issuerAddress,
    "the base URL",
    "address of the token issuer's two documents for clouds, if they are published elsewhere",
  ),
  altBaseUrl: optional("U", serviceAddress, "none", "a second address of the same service"),
  trustedProxies: optional(
    "CIDR,...",
    addressRanges,
    "none",
    "proxies in front of the service, whose X-Forwarded-For names the client",
  ),
  provision: optional(
    "FILE",
    path,
    "none",
    "organizations, keys, people and locations to create at every start",
  ),
  databaseUrl: optional(
    "U",
    databaseUrl,
    "none",
    "PostgreSQL: the scale-out mode, many processes may share one database; with standbys postgres://a,b/name",
  ),
  databasePasswordFile: optional(
    "F",
    path,
    "in --database-url",
    "file with the password of --database-url; read again for every new connection",
  ),
  segments: optional(
    "U",
    s3Address,
    "in the database",
    "with --database-url: sealed points go to an S3 bucket, s3://bucket/prefix",
  ),
  workersFile: optional(
    "F",
    path,
    "none",
    "with --database-url and --segments: file with the addresses of further PostgreSQL servers, for points, one a line",
  ),
  masterKeyFile: optional(
    "F",
    path,
    "made in the data directory",
    "32 bytes as 64 hexadecimal digits; seals the secrets at rest",
  ),
  adminPort: optional(
    "N",
    (word) => wholeNumber(word, 0, 65_535),
    "off",
    "serves /metrics and the details of /readyz on --admin-host; 0 uses a free port",
  ),
  adminHost: text("H", "127.0.0.1", "listen address of --admin-port, which has no credentials"),
  traces: optional(
    "U",
    httpAddress,
    "off",
    "sends OpenTelemetry traces to a collector: OTLP over HTTP, like http://127.0.0.1:4318/v1/traces",
  ),
  traceShare: share(
    "N",
    1,
    "with --traces: share of traced requests, 0 to 1; a request with a traceparent follows it",
  ),
  logLevel: choice(
    ["debug", "info", "warn", "error", "silent"],
    "info",
    "lowest level of log lines",
  ),
  maxBodyBytes: integer(
    "N",
    limits.bodyBytesMax,
    1_024,
    512 * mebibyte,
    "largest request body, after decompression; beyond it 413",
  ),
  maxDepth: integer("N", limits.jsonDepthMax, 8, 256, "deepest nesting of a JSON body"),
  maxQueueBytes: integer(
    "N",
    256 * mebibyte,
    mebibyte,
    Number.MAX_SAFE_INTEGER,
    "bytes of request bodies at once, half of them for one organization; beyond it 503 and Retry-After",
  ),
  maxReplyBytes: integer(
    "N",
    64 * mebibyte,
    65_536,
    512 * mebibyte,
    "results of the reads of one request together; further ones are result_too_large",
  ),
  maxReplyQueueBytes: integer(
    "N",
    256 * mebibyte,
    mebibyte,
    Number.MAX_SAFE_INTEGER,
    "bytes of results that clients have not read yet, half of them for one organization; beyond it 503 and Retry-After",
  ),
  maxReads: integer(
    "N",
    4,
    1,
    1_000,
    "long reads at once, half of them for one organization; more wait in a queue",
  ),
  readerThreads: integer(
    "N",
    2,
    1,
    64,
    "reader threads; of several, one is always free for short reads",
  ),
  maxStreams: integer(
    "N",
    256,
    1,
    100_000,
    "series streams at once, half of them for one organization; beyond it 503 and Retry-After",
  ),
  maxConnections: integer(
    "N",
    10_000,
    1,
    1_000_000,
    "open connections, half of them for one organization, or one address without a credential; more are closed",
  ),
  rateLimit: integer(
    "N",
    0,
    0,
    1_000_000,
    "requests per second of one organization, 0 = no limit; beyond it 429 and Retry-After",
  ),
  authFailureLimit: integer(
    "N",
    1_000,
    0,
    1_000_000,
    "refused credentials per minute from one address, 0 = no limit; beyond it 429 instead of 401, valid ones pass",
  ),
  seriesLimit: integer(
    "N",
    0,
    0,
    Number.MAX_SAFE_INTEGER,
    "series (metadata partitions) of one experiment, 0 = no limit",
  ),
  diskReserveBytes: integer(
    "N",
    256 * mebibyte,
    0,
    Number.MAX_SAFE_INTEGER,
    "writes are refused (507) while less is free on the disk of the data directory",
  ),
  sealPoints: integer(
    "N",
    262_144,
    1,
    1 << 24,
    "points of one experiment that are sealed together; its console at 8 bytes for each",
  ),
  sealIdleMs: integer(
    "N",
    600_000,
    0,
    86_400_000,
    "an experiment without new points for this long is sealed, however few they are; its console after six times as long",
  ),
  trashDays: integer(
    "N",
    30,
    1,
    limits.trashDaysMax,
    "days that deleted experiments can be restored, unless an organization sets its own",
  ),
  headersTimeoutMs: integer("N", 60_000, 100, 3_600_000, "time for the headers of a request"),
  requestTimeoutMs: integer("N", 120_000, 100, 3_600_000, "time for a whole request to arrive"),
  idleTimeoutMs: integer("N", 65_000, 100, 3_600_000, "life of an idle connection"),
  streamIdleMs: integer(
    "N",
    60_000,
    100,
    3_600_000,
    "a reply or stream is cut if the client reads nothing for this long, or less than 16 KiB/s",
  ),
  drainMs: optional(
    "N",
    (word) => wholeNumber(word, 0, 600_000),
    "5000 with --database-url, else 0",
    "time between SIGTERM (readyz answers 503) and the end of accepting, for load balancers",
  ),
} satisfies Record<string, Option<unknown>>;

export type OptionName = keyof typeof options;
export const optionNames = Object.keys(options) as OptionName[];

/** `maxBodyBytes` -> `max-body-bytes` */
export function flagName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `maxBodyBytes` -> `LOSSLESS_MAX_BODY_BYTES` */
export function variableName(name: string): string {
  return `LOSSLESS_${flagName(name).replaceAll("-", "_").toUpperCase()}`;
}

/** The help text of all options, from the table. */
export function optionsHelp(): string {
  const rows = optionNames.map((name) => {
    const option = options[name];
    const flag = `  --${flagName(name)} ${option.placeholder}`;
    return `${flag.padEnd(30)}${option.help} (default: ${option.shownDefault})`;
  });
  return [
    ...rows,
    `${"  --config FILE".padEnd(30)}a JSON file with any of these options as keys`,
    `${"  --help, --version".padEnd(30)}print and exit`,
    "",
    "Every option is also a variable (--max-body-bytes is LOSSLESS_MAX_BODY_BYTES) and a key of the",
    "--config file. A flag beats a variable, a variable beats the file.",
  ].join("\n");
}

function text(placeholder: string, defaultValue: string, help: string): Option<string> {
  return { placeholder, shownDefault: defaultValue, help, defaultValue, parse: path };
}

function integer(
  placeholder: string,
  defaultValue: number,
  minimum: number,
  maximum: number,
  help: string,
): Option<number> {
  const parse = (word: string) => wholeNumber(word, minimum, maximum);
  return { placeholder, shownDefault: String(defaultValue), help, defaultValue, parse };
}

function share(placeholder: string, defaultValue: number, help: string): Option<number> {
  const parse = (word: string) => {
    const value = /^\d(\.\d{1,9})?$/.test(word) ? Number(word) : Number.NaN;
    if (!(value <= 1)) throw new ConfigError("must be a number from 0 to 1, like 0.05");
    return value;
  };
  return { placeholder, shownDefault: String(defaultValue), help, defaultValue, parse };
}

function choice<const Word extends string>(
  words: readonly Word[],
  defaultValue: Word,
  help: string,
): Option<Word> {
  const parse = (word: string) => {
    const found = words.find((one) => one === word);
    if (found === undefined) throw new ConfigError(`must be one of ${words.join(", ")}`);
    return found;
  };
  return { placeholder: "L", shownDefault: defaultValue, help, defaultValue, parse };
}

function optional<Value>(
  placeholder: string,
  parse: (text: string) => Value,
  shownDefault: string,
  help: string,
): Option<Value | undefined> {
  return { placeholder, shownDefault, help, defaultValue: undefined, parse };
}

function path(word: string): string {
  if (word === "" || word.includes("\0")) throw new ConfigError("must not be empty");
  return word;
}

function wholeNumber(word: string, minimum: number, maximum: number): number {
  const value = /^\d{1,16}$/.test(word) ? Number(word) : Number.NaN;
  if (!(value >= minimum && value <= maximum)) {
    throw new ConfigError(`must be a whole number from ${minimum} to ${maximum}`);
  }
  return value;
}

function serviceAddress(word: string): string {
  const found = baseAddress(word);
  if (found !== undefined) return found;
  throw new ConfigError(
    "must be an address like https://lossless.example or https://host.example/lossless: letters, digits, . _ ~ - in its path, no query",
  );
}

/**
 * Checks the issuer's address, which is in every token unchanged. http is for this machine alone:
 * no cloud fetches keys by it.
 */
export function issuerAddress(word: string): string {
  const url = URL.parse(word);
  const isLoopback = url !== null && /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(url.hostname);
  const isAddress =
    url !== null &&
    (url.protocol === "https:" || (url.protocol === "http:" && isLoopback)) &&
    url.username === "" &&
    url.password === "" &&
    !/[?#]|\/$/.test(word) &&
    // Setup scripts hold it between single quotes.
    /^[A-Za-z0-9._~/-]*$/.test(url.pathname);
  if (!isAddress) {
    throw new ConfigError(
      "must be an address like https://keys.example/lossless: letters, digits, . _ ~ - in its path, no query, no slash at its end",
    );
  }
  return url.pathname === "/" ? url.origin : url.origin + url.pathname;
}

function addressRanges(word: string): readonly string[] {
  const ranges = word.split(",").map((range) => range.trim());
  if (ranges.some((range) => rangeOf(range) === undefined)) {
    throw new ConfigError("must be addresses or ranges like 10.0.0.0/8, separated by commas");
  }
  return ranges;
}

function httpAddress(word: string): string {
  const url = URL.parse(word);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.hash === "")
    return word;
  throw new ConfigError("must be an address like http://127.0.0.1:4318/v1/traces");
}

function s3Address(word: string): string {
  if (!word.startsWith("s3://")) throw new ConfigError("must be like s3://bucket/prefix");
  return word;
}

function databaseUrl(word: string): string {
  try {
    parsePostgresUrl(word);
  } catch (error) {
    throw error instanceof PostgresUrlError ? new ConfigError(error.message) : error;
  }
  return word;
}
