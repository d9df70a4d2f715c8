import {
  type Command,
  type CommandEntry,
  everyCommand,
  type Invocation,
  onlyPositional,
  UsageError,
} from "../command.ts";
import { isServerAbsent } from "../absent-server.ts";
import { type CompletedCommand, shells } from "../completion/shells.ts";

/** Gets the commands that it completes as a parameter, since it is one of them. */
export const completionOf = (commands: Record<string, CommandEntry>): Command => ({
  usage: "completion bash|zsh|fish",
  help: `
Prints the completion of commands and options for a shell. To load it in every new shell:

  bash   lossless completion bash > ~/.local/share/bash-completion/completions/lossless
  zsh    lossless completion zsh > "\${fpath[1]}/_lossless"
  fish   lossless completion fish > ~/.config/fish/completions/lossless.fish
`,
  options: {},
  run: (invocation) => runCompletion(invocation, commands),
});

async function runCompletion(
  invocation: Invocation,
  commands: Record<string, CommandEntry>,
): Promise<number> {
  const name = onlyPositional(invocation, "shell: bash, zsh or fish");
  if (!Object.hasOwn(shells, name)) {
    throw new UsageError(`the shell must be one of ${Object.keys(shells).join(", ")}, not ${name}`);
  }
  const script = shells[name as keyof typeof shells](await completedCommands(commands));
  invocation.output.answer({ shell: name, script }, () => script.trimEnd());
  return 0;
}

async function completedCommands(
  commands: Record<string, CommandEntry>,
): Promise<CompletedCommand[]> {
  const completed: CompletedCommand[] = [];
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const flags = name === "serve" ? await serviceFlags() : await flagsOf(load);
    completed.push({ words: name.split(" "), summary, flags: [...flags, "--help"] });
  }
  return completed;
}

async function flagsOf(load: () => Promise<Command>): Promise<string[]> {
  const command = await unlessAbsent(load);
  return Object.keys({ ...command?.options, ...everyCommand })
    .filter((option) => option !== "help")
    .map((option) => `--${option}`);
}

/** The service has its own options. */
async function serviceFlags(): Promise<string[]> {
  const server = await unlessAbsent(() => import("@lossless/server/settings/options"));
  if (server === undefined) return [];
  return [...server.optionNames.map((name) => `--${server.flagName(name)}`), "--config"];
}

/** Where the service is not installed there is nothing of it to complete. */
async function unlessAbsent<Part>(load: () => Promise<Part>): Promise<Part | undefined> {
  try {
    return await load();
  } catch (error) {
    if (isServerAbsent(error)) return undefined;
    throw error;
  }
}
