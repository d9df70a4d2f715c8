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

/** It is given the commands that it completes, since it is one of them. */
export const completionOf = (commands: Record<string, CommandEntry>): Command => ({
  usage: "completion bash|zsh|fish",
  help: `
Prints the completion of commands and their options for a shell. To have it in every new shell:

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
  const options = { ...(await load()).options, ...everyCommand };
  return Object.keys(options)
    .filter((option) => option !== "help")
    .map((option) => `--${option}`);
}

/** The service has its own options; where it is not installed there is nothing to complete. */
async function serviceFlags(): Promise<string[]> {
  try {
    const { flagName, optionNames } = await import("@lossless/server/options");
    return [...optionNames.map((name) => `--${flagName(name)}`), "--config"];
  } catch (error) {
    if (isServerAbsent(error)) return [];
    throw error;
  }
}
