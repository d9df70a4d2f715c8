import type { FolderNode } from "@lossless/client";
import { noPositionals } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { printable } from "../../output.ts";
import { runNames } from "../../run-names.ts";

export const tree = serviceCommand({
  usage: "experiments tree",
  help: `
Shows all folders as a tree, with the experiments in them.
`,
  async run(invocation) {
    noPositionals(invocation);
    const client = clientOf(invocation);
    const whole = await client.folders.tree();
    // JSON is printed as the service returns it, without names.
    const names = invocation.output.json ? new Map<string, string>() : await runNames(client);
    invocation.output.answer(whole, () => [...lines(whole, names, "")].join("\n"));
  },
});

function* lines(
  { folders, experiments }: Pick<FolderNode, "folders" | "experiments">,
  names: ReadonlyMap<string, string>,
  indent: string,
): Generator<string> {
  for (const folder of folders) {
    yield `${indent}${printable(folder.name)}/`;
    yield* lines(folder, names, `${indent}  `);
  }
  for (const { experimentId, slug, status } of experiments) {
    const name = names.get(experimentId);
    const named = name === undefined ? "" : `  ${printable(name)}`;
    yield `${indent}${printable(slug)}${named}  (${status})`;
  }
}
