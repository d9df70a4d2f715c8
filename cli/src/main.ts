import { parseArgs } from "node:util";
import { ConnectionError, hasCode, LosslessError } from "@lossless/client";
import manifest from "../package.json" with { type: "json" };
import { isServerAbsent } from "./absent-server.ts";
import {
  type Command,
  CommandError,
  everyCommand,
  type Invocation,
  OptionValues,
  UsageError,
} from "./command.ts";
import { commands } from "./commands.ts";
import { explained } from "./explained.ts";
import { didYouMean } from "@lossless/protocol/near-names";
import { Output } from "./output.ts";
import { followProxies } from "./proxies.ts";
import { serverExitCode } from "./server-exit-code.ts";

/**
 * Runs a command. Exit codes: 0 done, 1 failed, 2 wrong command line; `serve` has more of its own.
 */
export async function main(words: string[]): Promise<void> {
  followTheLauncher();
  process.stdout.on("error", leaveOnClosedPipe);
  const output = new Output(words.includes("--json"), process.stdout, process.stderr);
  try {
    process.exitCode = (await run(words, output)) ?? 0;
  } catch (error) {
    process.exitCode = await report(error, output);
  }
}

/** Commands of the Python package, whose command is called `lossless` too. */
const ofPython = [
  "run",
  "sync",
  "import aim",
  "import clearml",
  "import comet",
  "import neptune",
  "import swanlab",
  "import tensorboard",
  "import tables",
  "import trackio",
  "import wandb",
];

async function run(words: string[], output: Output): Promise<number | void> {
  const [first, ...topic] = words;
  if (first === "help" && topic.length > 0) return run([...topic, "--help"], output);
  const python = ofPython.find((name) => `${words.join(" ")} `.startsWith(`${name} `));
  if (python !== undefined)
    throw new UsageError(
      `lossless ${python} belongs to the Python package: python -m lossless ${python}`,
    );
  const found = commandOf(words);
  if (found === undefined) return overview(words, output);
  const { name, rest } = found;
  const command = await commands[name].load();
  // The service has its own options, including --help.
  if (name === "serve") {
    return command.run({
      values: new OptionValues({}),
      positionals: rest,
      environment: process.env,
      output,
    });
  }
  await followProxies(process.env);
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
    const [sentence = ""] = (error as Error).message.split(". To specify");
    const [, unknown = ""] = /^Unknown option '--([\w-]+)'/.exec(sentence) ?? [];
    const flags = Object.keys({ ...command.options, ...everyCommand });
    const meant = didYouMean(unknown, flags, (flag) => `--${flag}`);
    throw new UsageError(`${sentence}${meant}; see lossless ${name} --help`);
  }
}

/**
 * Lists commands for `lossless`, `lossless --help`, `lossless series` and `lossless series --help`;
 * throws for other words.
 */
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
    // Without a command nothing was requested, and nothing was done.
    return words.length === 0 || (!isHelp && rest.length === 0) ? 2 : 0;
  }
  const named = group.length > 0 ? `${first} ${rest[0] ?? ""}`.trim() : first;
  // `expriments list` is compared by both words, `pul runs/a` by the first only.
  const near = didYouMean(words.slice(0, 2).join(" "), Object.keys(commands), typed);
  const meant = near === "" ? didYouMean(named, Object.keys(commands), typed) : near;
  throw new UsageError(`there is no command ${JSON.stringify(named)}${meant}; see lossless --help`);
}

function typed(name: string): string {
  return `lossless ${name}`;
}

function listing(names: string[]): string {
  const width = Math.max(...names.map((name) => name.length));
  const lines = names.map((name) => `  ${name.padEnd(width)}  ${commands[name]?.summary}`);
  return [
    "Usage: lossless COMMAND [options]",
    "",
    ...lines,
    "",
    "lossless COMMAND --help describes a command.",
  ].join("\n");
}

function helpText(command: Command): string {
  const general = ["  --json             answer as JSON", "  -h, --help         this text"];
  return [`Usage: lossless ${command.usage}`, "", command.help.trim(), ...general].join("\n");
}

async function report(error: unknown, output: Output): Promise<number> {
  if (error instanceof UsageError) {
    output.failure(error.message, "usage");
    return 2;
  }
  if (error instanceof CommandError || error instanceof LosslessError) {
    output.failure(explained(error), codeOf(error));
    return 1;
  }
  if (isServerAbsent(error)) {
    const { version } = manifest;
    output.failure(
      `this needs the service itself, which is not installed beside this command: ` +
        `npm install --global @lossless/cli@${version} @lossless/server@${version}`,
      "not_installed",
    );
    return 2;
  }
  const code = await serverExitCode(error);
  if (code !== undefined) {
    output.failure((error as Error).message, codeOf(error));
    return code;
  }
  // For an unreadable file or a full disk, the system's message is enough.
  const isOfSystem = error instanceof Error && "syscall" in error;
  const text = error instanceof Error && !isOfSystem ? error.stack : undefined;
  output.failure(text ?? (error instanceof Error ? error.message : String(error)), codeOf(error));
  return 1;
}

/** The code of the service's reply, or of the system (ENOENT, EACCES), for scripts. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof ConnectionError) return "unreachable";
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** `lossless series points x | head`: the reader has what it wanted. */
function leaveOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
}

/**
 * Stops when the launcher is killed, where bin/lossless.js has started this process for an old
 * Node.
 */
function followTheLauncher(): void {
  if (process.env["LOSSLESS_HANDED_OVER"] !== "1" || process.channel == null) return;
  process.channel.unref();
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
}
