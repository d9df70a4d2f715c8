import type { ParseArgsConfig } from "node:util";
import type { Output } from "./output.ts";

export type CommandOptions = NonNullable<ParseArgsConfig["options"]>;

export interface Command {
  /** The words after `lossless`, for the help text. */
  usage: string;
  /** Help text between the usage and the options common to all commands. */
  help: string;
  options: CommandOptions;
  /** Returns the exit code where not everything was done. */
  run(invocation: Invocation): Promise<number | void>;
}

/** Makes commands with options in common, which their help shows behind its own. */
export function commandsWith(common: CommandOptions, commonHelp: string) {
  return ({
    options,
    help,
    ...command
  }: Omit<Command, "options"> & { options?: CommandOptions }): Command => ({
    ...command,
    options: { ...common, ...options },
    help: help + commonHelp,
  });
}

/** A command, loaded when called. */
export interface CommandEntry {
  summary: string;
  load: () => Promise<Command>;
}

/** Options that every command has. */
export const everyCommand: CommandOptions = {
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
};

export interface Invocation {
  values: OptionValues;
  positionals: string[];
  environment: NodeJS.ProcessEnv;
  output: Output;
}

/** The command line is wrong; the message says what is expected. Exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** The command failed; the message says what to do about it. Exit code 1. */
export class CommandError extends Error {
  override name = "CommandError";
}

/** Parsed options by name; an absent one is undefined. */
export class OptionValues {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === "") throw new UsageError(`--${name} is required`);
    return value;
  }

  /** The values of a repeatable option. */
  texts(name: string): string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  }

  integer(name: string, otherwise: number, least: number, most: number): number {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new UsageError(`--${name} must be a whole number from ${least} to ${most}, not ${text}`);
  }

  choice<const Choice extends string>(name: string, choices: readonly Choice[]): Choice {
    const text = this.text(name);
    if (text === undefined) return choices[0];
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    throw new UsageError(`--${name} must be one of ${choices.join(", ")}, not ${text}`);
  }
}

export function onlyPositional({ positionals }: Invocation, what: string): string {
  const [first, ...more] = positionals;
  if (first !== undefined && more.length === 0) return first;
  const found = first === undefined ? "none is given" : `unexpected word: ${more[0]}`;
  throw new UsageError(`name one ${what}: ${found}`);
}

export function noPositionals({ positionals }: Invocation): void {
  if (positionals.length === 0) return;
  throw new UsageError(`unexpected word: ${positionals[0]}; this command takes only options`);
}
