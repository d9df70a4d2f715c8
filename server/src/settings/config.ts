import { readFileSync } from "node:fs";
import { ServiceError } from "../ground/errors.ts";
import { issuerPortWarning, namelessWarning } from "../ground/listen-address.ts";
import {
  ConfigError,
  flagName,
  type OptionName,
  optionNames,
  options,
  variableName,
} from "./options.ts";
import { parsePostgresUrl, unverifiedWarning } from "../ground/postgres-url.ts";
import { parseStrictJson } from "../ground/strict-json.ts";

/** The checked options, with defaults for absent ones. */
export type Config = {
  readonly [Name in OptionName]: (typeof options)[Name]["defaultValue"];
};

export type CommandLine =
  | { kind: "help" }
  | { kind: "version" }
  | { kind: "serve"; config: Config };

type Variables = Readonly<Record<string, string | undefined>>;
type OptionTexts = Map<OptionName, { text: string; source: string }>;

/**
 * Reads flags, variables and the `--config` file. Flag beats variable beats file; whatever is not
 * an option throws ConfigError (exit code 2).
 */
export function readCommandLine(words: readonly string[], variables: Variables): CommandLine {
  if (words.includes("--help") || words.includes("-h")) return { kind: "help" };
  if (words.includes("--version")) return { kind: "version" };
  const { flags, configFile } = readFlags(words);
  const file = configFile ?? variables.LOSSLESS_CONFIG;
  const given: OptionTexts = new Map([
    ...(file === undefined ? [] : readFile(file)),
    ...readVariables(variables),
    ...flags,
  ]);
  return { kind: "serve", config: configOf(given) };
}

/** A config from texts by option name; for tests and for programs that embed the service. */
export function configOf(given: OptionTexts | Partial<Record<OptionName, string>>): Config {
  const texts: OptionTexts =
    given instanceof Map
      ? given
      : new Map(
          Object.entries(given).map(([name, text]) => [
            name as OptionName,
            { text, source: `--${flagName(name)}` },
          ]),
        );
  const entries = optionNames.map((name) => {
    const entry = texts.get(name);
    return [name, entry === undefined ? options[name].defaultValue : parse(name, entry)];
  });
  const config = Object.fromEntries(entries) as Config;
  checkPassword(config);
  return config;
}

/** One place for a password: with two nobody knows which one is to be rotated. */
function checkPassword({ databaseUrl, databasePasswordFile }: Config): void {
  if (databasePasswordFile === undefined) return;
  if (databaseUrl === undefined)
    throw new ConfigError("--database-password-file needs --database-url.");
  if (parsePostgresUrl(databaseUrl).hasPassword)
    throw new ConfigError(
      "The password is in --database-url, and --database-password-file names a file with it: remove it from the address.",
    );
}

/**
 * Returns warnings about settings that are allowed but seldom meant, for a service that listens at
 * `bound`.
 */
export function warningsOf(
  { baseUrl, issuerUrl, databaseUrl }: Config,
  bound: string,
): readonly string[] {
  return [
    namelessWarning(bound, baseUrl),
    issuerPortWarning({ issuerUrl, baseUrl }),
    databaseUrl === undefined ? undefined : unverifiedWarning(databaseUrl),
  ].filter((warning) => warning !== undefined);
}

function parse(name: OptionName, { text, source }: { text: string; source: string }): unknown {
  try {
    return options[name].parse(text);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // Never the text itself: a database URL holds a password.
    throw new ConfigError(`${source} ${error.message}.`);
  }
}

const namesByFlag = new Map(optionNames.map((name) => [`--${flagName(name)}`, name]));
const namesByVariable = new Map(optionNames.map((name) => [variableName(name), name]));

function readFlags(words: readonly string[]): {
  flags: OptionTexts;
  configFile: string | undefined;
} {
  const flags: OptionTexts = new Map();
  let configFile: string | undefined;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    const equals = word.indexOf("=");
    const flag = word.startsWith("--") && equals > 0 ? word.slice(0, equals) : word;
    const name = namesByFlag.get(flag);
    if (name === undefined && flag !== "--config") {
      throw new ConfigError(`There is no option ${flag}. --help lists all of them.`);
    }
    const text = flag === word ? words[(index += 1)] : word.slice(equals + 1);
    if (text === undefined) throw new ConfigError(`${flag} needs a value.`);
    if (name === undefined) configFile = text;
    // OptionTexts twice, the last one counts: scripts append to what they were given.
    else flags.set(name, { text, source: flag });
  }
  return { flags, configFile };
}

/**
 * Matches variables with our prefix that are no options of the service: those of the client and the
 * command line, those of test runs, and those that Kubernetes makes for a service named `lossless`.
 */
const foreignVariables = new RegExp(
  "^LOSSLESS_(CONFIG|URL|API_KEY|CLOUD|REGION|STORE_SECRET|HANDED_OVER|TEST_.*|" +
    "SYSTEM|SPOOL|MODE|RUN_ID|RECORDING_PARENT|SENDER_.*|" +
    "SERVICE_(HOST|PORT)(_.*)?|PORT_\\d+_.*)$",
);

function readVariables(variables: Variables): OptionTexts {
  const given: OptionTexts = new Map();
  for (const [variable, text] of Object.entries(variables)) {
    if (!variable.startsWith("LOSSLESS_") || text === undefined) continue;
    const name = namesByVariable.get(variable);
    if (name !== undefined) given.set(name, { text, source: variable });
    else if (!foreignVariables.test(variable)) {
      throw new ConfigError(`There is no option for the variable ${variable}.`);
    }
  }
  return given;
}

function readFile(path: string): OptionTexts {
  const content = readJsonFile(path, "--config");
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new ConfigError(`The file ${path} (--config) must contain one JSON object.`);
  }
  const given: OptionTexts = new Map();
  for (const [key, value] of Object.entries(content)) {
    const name = namesByFlag.get(`--${flagName(key)}`);
    if (name === undefined) throw new ConfigError(`${path}: there is no option "${key}".`);
    if (given.has(name)) throw new ConfigError(`${path}: the option "${key}" is given twice.`);
    if (typeof value !== "string" && typeof value !== "number") {
      throw new ConfigError(`${path}: "${key}" must be a text or a number.`);
    }
    given.set(name, { text: String(value), source: `${path}: "${key}"` });
  }
  return given;
}

/** Reads a JSON file given by an option, under the same rules as a request. */
export function readJsonFile(path: string, flag: string): unknown {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new ConfigError(`The file ${path} (${flag}) cannot be read: ${code}.`);
  }
  try {
    return parseStrictJson(bytes, { depth: 32 });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { message } = error;
    const file = `The file ${path} (${flag})`;
    throw new ConfigError(
      message.startsWith("The body") ? message.replace("The body", file) : `${file}: ${message}`,
    );
  }
}
