import type { FolderNode } from "@lossless/client";
import { type Command, type Invocation, noPositionals } from "../command.ts";
import { clientOf, connectionHelp, connectionOptions } from "../connection.ts";
import { printable } from "../output.ts";

export const tree: Command = {
  usage: "experiments tree",
  help: `
Shows all folders with the experiments in them, as they stand within each other.
${connectionHelp}`,
  options: connectionOptions,
  run: runTree,
};

async function runTree(invocation: Invocation): Promise<number> {
  noPositionals(invocation);
  const whole = await clientOf(invocation).folders.tree();
  invocation.output.answer(whole, () => [...lines(whole, "")].join("\n"));
  return 0;
}

function* lines(
  { folders, experiments }: Pick<FolderNode, "folders" | "experiments">,
  indent: string,
): Generator<string> {
  for (const folder of folders) {
    yield `${indent}${printable(folder.name)}/`;
    yield* lines(folder, `${indent}  `);
  }
  for (const { slug, status } of experiments) yield `${indent}${printable(slug)}  (${status})`;
}
