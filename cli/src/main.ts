import { parseArgs } from "node:util";
import { ConnectionError, hasCode, LosslessError } from "@lossless/client";
import manifest from "../package.json" with { type: "json" };
import { CommandError, OptionValues, UsageError } from "./command.ts";
import type { Command, CommandOptions, Invocation } from "./command.ts";
import { explained } from "./explained.ts";
import { Output } from "./output.ts";

interface Entry {
  summary: string;
  load: () => Promise<Command>;
}

/** A command of two words stands under both. Each is loaded only when it is called. */
const commands: Record<string, Entry> = {
  serve: {
    summary: "run the service",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  login: {
    summary: "sign this machine in",
    load: async () => (await import("./commands/login.ts")).login,
  },
  logout: {
    summary: "end the sign-in of this machine",
    load: async () => (await import("./commands/logout.ts")).logout,
  },
  whoami: {
    summary: "say who commands act for",
    load: async () => (await import("./commands/whoami.ts")).whoami,
  },
  import: {
    summary: "record CSV files, one experiment each",
    load: async () => (await import("./commands/import.ts")).importFiles,
  },
  export: {
    summary: "write experiments to CSV or NDJSON files",
    load: async () => (await import("./commands/export.ts")).exportExperiments,
  },
  push: {
    summary: "store files as a new version of an artifact",
    load: async () => (await import("./commands/push.ts")).pushFiles,
  },
  pull: {
    summary: "fetch a version of an artifact",
    load: async () => (await import("./commands/pull.ts")).pullFiles,
  },
  artifacts: {
    summary: "list artifacts",
    load: async () => (await import("./commands/artifacts.ts")).artifacts,
  },
  versions: {
    summary: "list the versions of an artifact",
    load: async () => (await import("./commands/versions.ts")).versions,
  },
  "note get": {
    summary: "read a note of an artifact",
    load: async () => (await import("./commands/note.ts")).get,
  },
  "note put": {
    summary: "write a note of an artifact",
    load: async () => (await import("./commands/note.ts")).put,
  },
  "experiments list": {
    summary: "list experiments",
    load: async () => (await import("./commands/experiments-list.ts")).list,
  },
  "experiments tree": {
    summary: "show folders and what is in them",
    load: async () => (await import("./commands/experiments-tree.ts")).tree,
  },
  "experiments show": {
    summary: "show one experiment",
    load: async () => (await import("./commands/experiments-show.ts")).show,
  },
  "series list": {
    summary: "list the series of an experiment",
    load: async () => (await import("./commands/series-list.ts")).list,
  },
  "series points": {
    summary: "print the points of series",
    load: async () => (await import("./commands/series-points.ts")).points,
  },
  org: {
    summary: "show the organization and whether artifacts can be written",
    load: async () => (await import("./commands/org.ts")).org,
  },
  "connections list": {
    summary: "list connected cloud accounts",
    load: async () => (await import("./commands/connections.ts")).list,
  },
  "connections add": {
    summary: "begin to connect a cloud account",
    load: async () => (await import("./commands/connections.ts")).add,
  },
  "connections show": {
    summary: "show whom the cloud trusts, and what it refused",
    load: async () => (await import("./commands/connections.ts")).show,
  },
  "connections setup": {
    summary: "print the script to run in the cloud account",
    load: async () => (await import("./commands/connections.ts")).setup,
  },
  "connections complete": {
    summary: "say as whom the service acts in the cloud account",
    load: async () => (await import("./commands/connections-complete.ts")).complete,
  },
  "connections remove": {
    summary: "remove a connection",
    load: async () => (await import("./commands/connections-remove.ts")).remove,
  },
  "locations list": {
    summary: "list where artifacts are stored",
    load: async () => (await import("./commands/locations.ts")).list,
  },
  "locations add": {
    summary: "add an S3-compatible bucket",
    load: async () => (await import("./commands/locations-add.ts")).add,
  },
  "locations fallback": {
    summary: "make a location the fallback",
    load: async () => (await import("./commands/locations.ts")).fallback,
  },
  "locations default": {
    summary: "make a location the default of its cloud",
    load: async () => (await import("./commands/locations.ts")).setDefault,
  },
  "locations rename": {
    summary: "rename a location",
    load: async () => (await import("./commands/locations.ts")).rename,
  },
  "locations retire": {
    summary: "write no more to a location",
    load: async () => (await import("./commands/locations.ts")).retire,
  },
  usage: {
    summary: "show what was written and read, by day",
    load: async () => (await import("./commands/usage.ts")).usage,
  },
  "keys list": {
    summary: "list API keys",
    load: async () => (await import("./commands/keys.ts")).list,
  },
  "keys create": {
    summary: "create an API key",
    load: async () => (await import("./commands/keys.ts")).create,
  },
  "keys revoke": {
    summary: "revoke an API key",
    load: async () => (await import("./commands/keys.ts")).revoke,
  },
  "keys rotate-master": {
    summary: "change the key that seals secrets at rest",
    load: async () => (await import("./commands/keys-rotate-master.ts")).rotateMaster,
  },
  "people list": {
    summary: "list people and their roles",
    load: async () => (await import("./commands/people.ts")).list,
  },
  "people invite": {
    summary: "make a link by which a person joins",
    load: async () => (await import("./commands/people-links.ts")).invite,
  },
  "people role": {
    summary: "give a person another role",
    load: async () => (await import("./commands/people.ts")).role,
  },
  "people remove": {
    summary: "end a person's membership",
    load: async () => (await import("./commands/people.ts")).remove,
  },
  "people reset-password": {
    summary: "make a link by which a person sets a new password",
    load: async () => (await import("./commands/people-links.ts")).resetPassword,
  },
  audit: {
    summary: "show who did what",
    load: async () => (await import("./commands/audit.ts")).audit,
  },
  "issuer export": {
    summary: "write the token issuer's public documents for a static site",
    load: async () => (await import("./commands/issuer-export.ts")).exportIssuer,
  },
  "issuer keys": {
    summary: "list the token issuer's signing keys",
    load: async () => (await import("./commands/issuer.ts")).keys,
  },
  "issuer rotate": {
    summary: "let the token issuer's next key sign",
    load: async () => (await import("./commands/issuer.ts")).rotate,
  },
  gc: {
    summary: "remove what abandoned uploads left",
    load: async () => (await import("./commands/gc.ts")).gc,
  },
  verify: {
    summary: "check every checksum and count of stored data",
    load: async () => (await import("./commands/verify.ts")).verify,
  },
};

const everyCommand: CommandOptions = {
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
};

/** Exit codes: 0 done, 1 failed, 2 wrong command line; `serve` has more of its own. */
export async function main(words: string[]): Promise<void> {
  followTheLauncher();
  process.stdout.on("error", leaveOnClosedPipe);
  const output = new Output(words.includes("--json"), process.stdout, process.stderr);
  try {
    process.exitCode = await run(words, output);
  } catch (error) {
    process.exitCode = report(error, output);
  }
}

async function run(words: string[], output: Output): Promise<number> {
  const [first, ...topic] = words;
  if (first === "help" && topic.length > 0) return run([...topic, "--help"], output);
  const found = commandOf(words);
  if (found === undefined) return overview(words, output);
  const { name, rest } = found;
  const command = await (commands[name] as Entry).load();
  // The service has its own options, and a --help of its own.
  if (name === "serve") {
    return command.run({
      values: new OptionValues({}),
      positionals: rest,
      environment: process.env,
      output,
    });
  }
  const { values, positionals } = parsed(name, command, rest);
  if (values["help"] === true) {
    output.line(helpText(command));
    return 0;
  }
  const invocation: Invocation = {
    values: new OptionValues(values),
    positionals,
    environment: process.env,
    output,
  };
  try {
    return await command.run(invocation);
  } catch (error) {
    if (!hasCode(error, "forbidden")) throw error;
    throw new CommandError(explained(error as Error, invocation));
  }
}

function commandOf(words: string[]): { name: string; rest: string[] } | undefined {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    if (Object.hasOwn(commands, name)) return { name, rest: words.slice(length) };
  }
  return undefined;
}

function parsed(name: string, command: Command, rest: string[]) {
  try {
    const options = { ...command.options, ...everyCommand };
    return parseArgs({ args: rest, options, allowPositionals: true, strict: true });
  } catch (error) {
    const [sentence] = (error as Error).message.split(". To specify");
    throw new UsageError(`${sentence}; see lossless ${name} --help`);
  }
}

/** `lossless`, `lossless --help`, `lossless series`, `lossless series --help`; anything else is a mistake. */
function overview(words: string[], output: Output): number {
  const [first = "", ...rest] = words;
  const isHelp = ["", "help", "--help", "-h"].includes(first);
  const group = Object.keys(commands).filter((name) => name.startsWith(`${first} `));
  const asksOnly = rest.every((word) => ["--help", "-h", "help"].includes(word));
  if (first === "--version") {
    output.line(manifest.version);
    return 0;
  }
  if ((isHelp || group.length > 0) && asksOnly) {
    output.line(listing(isHelp ? Object.keys(commands) : group));
    // Without a word nothing was asked for, and nothing was done.
    return words.length === 0 || (!isHelp && rest.length === 0) ? 2 : 0;
  }
  const named = group.length > 0 ? `${first} ${rest[0] ?? ""}`.trim() : first;
  throw new UsageError(`there is no command ${JSON.stringify(named)}; see lossless --help`);
}

function listing(names: string[]): string {
  const width = Math.max(...names.map((name) => name.length));
  const lines = names.map((name) => `  ${name.padEnd(width)}  ${commands[name]?.summary}`);
  return [
    "Usage: lossless COMMAND [options]",
    "",
    ...lines,
    "",
    "lossless COMMAND --help says more.",
  ].join("\n");
}

function helpText(command: Command): string {
  const general = ["  --json             answer as JSON", "  -h, --help         this text"];
  return [`Usage: lossless ${command.usage}`, "", command.help.trim(), ...general].join("\n");
}

function report(error: unknown, output: Output): number {
  if (error instanceof UsageError) {
    output.failure(error.message, "usage");
    return 2;
  }
  if (error instanceof CommandError || error instanceof LosslessError) {
    output.failure(explained(error), codeOf(error));
    return 1;
  }
  const code = serversExitCode(error);
  if (code !== undefined) {
    output.failure((error as Error).message, codeOf(error));
    return code;
  }
  // A file that cannot be read, a full disk: the system's own words are enough.
  const isOfSystem = error instanceof Error && "syscall" in error;
  const text = error instanceof Error && !isOfSystem ? error.stack : undefined;
  output.failure(text ?? (error instanceof Error ? error.message : String(error)), codeOf(error));
  return 1;
}

/** The code of the service's reply, or that of the system (ENOENT, EACCES), for scripts. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof ConnectionError) return "unreachable";
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/**
 * Errors of the commands that work on the data itself (keys, verify), told by name, because the server is
 * loaded only by those. The codes are those of `lossless serve`.
 */
function serversExitCode(error: unknown): number | undefined {
  const codes: Record<string, number> = {
    ServiceError: 1,
    ConfigError: 2,
    DirectoryForeign: 2,
    DirectoryInUse: 3,
    NewerFormat: 4,
    CorruptData: 5,
    DatabaseError: 6,
  };
  return error instanceof Error && Object.hasOwn(codes, error.name) ? codes[error.name] : undefined;
}

/** `lossless series points x | head`: the reader has what it wanted. */
function leaveOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
}

/** Started by bin/lossless.js on an old Node: when that process is killed, this one is to stop as well. */
function followTheLauncher(): void {
  if (process.env["LOSSLESS_HANDED_OVER"] !== "1" || process.channel == null) return;
  process.channel.unref();
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
}
