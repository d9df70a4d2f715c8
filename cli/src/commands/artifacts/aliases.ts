import type { AliasChange, VersionAlias } from "@lossless/client";
import { UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { printable, table, timeText } from "../../output.ts";

export const list = serviceCommand({
  usage: "alias list ARTIFACT",
  help: `
Lists the aliases of an artifact's versions by name: "lossless pull ARTIFACT --version @best" fetches the version that
the alias "best" points to. An alias stays when its version is moved to the trash or deleted, and says so.
`,
  async run(invocation) {
    const [artifact] = wordsOf(invocation.positionals, ["artifact"], "alias list ARTIFACT");
    const found = await clientOf(invocation).artifacts.aliases(artifact);
    if (found.length === 0) invocation.output.note(`${printable(artifact)} has no aliases`);
    invocation.output.answer(found, () =>
      table(
        ["ALIAS", "VERSION", "STATE", "SINCE", "BY"],
        found.map(({ alias, version, state, changedAtMs, changedBy }) => [
          alias,
          version,
          state,
          timeText(changedAtMs),
          changedBy,
        ]),
      ),
    );
  },
});

export const set = serviceCommand({
  usage: "alias set ARTIFACT ALIAS VERSION [--from V | --new]",
  help: `
Sets an alias of an artifact, or moves it, to a version: its name, "latest", or another alias as @best, as it points
now. With a condition it fails if another person or program was faster. "latest", and v with digits, are no aliases.

  --from V           only if the alias points to this version
  --new              only if there is no such alias`,
  options: { from: { type: "string" }, new: { type: "boolean" } },
  async run(invocation) {
    const { values, output, positionals } = invocation;
    const [artifact, alias, version] = wordsOf(
      positionals,
      ["artifact", "alias", "version"],
      "alias set ARTIFACT ALIAS VERSION",
    );
    const from = values.text("from");
    if (from !== undefined && values.flag("new")) {
      throw new UsageError("give --from or --new, not both");
    }
    const expected = values.flag("new") ? null : from;
    const { artifacts } = clientOf(invocation);
    const reply = await artifacts.setAlias(artifact, alias, version, { expected });
    output.answer(reply, () => setSentence(artifact, reply.alias, reply.previous));
  },
});

export const remove = serviceCommand({
  usage: "alias remove ARTIFACT ALIAS [--from V]",
  help: `
Removes an alias of an artifact; its version stays, and so does its history.

  --from V           only if the alias points to this version`,
  options: { from: { type: "string" } },
  async run(invocation) {
    const { values, output, positionals } = invocation;
    const usage = "alias remove ARTIFACT ALIAS";
    const [artifact, alias] = wordsOf(positionals, ["artifact", "alias"], usage);
    const expected = values.text("from");
    const condition = expected === undefined ? {} : { expected };
    await clientOf(invocation).artifacts.removeAlias(artifact, alias, condition);
    output.answer({ artifact, alias }, () => `${printable(artifact)} has no alias ${alias} now`);
  },
});

export const history = serviceCommand({
  usage: "alias history ARTIFACT [ALIAS]",
  help: `
Shows what the aliases of an artifact, or one of them, pointed to, since when and by whom, the latest change last.
`,
  async run(invocation) {
    const [artifact, alias, ...more] = invocation.positionals;
    if (artifact === undefined || more.length > 0) {
      throw new UsageError("name an artifact: lossless alias history ARTIFACT [ALIAS]");
    }
    const { artifacts } = clientOf(invocation);
    const found = (await Array.fromAsync(artifacts.aliasChanges(artifact, alias))).reverse();
    invocation.output.answer(found, () =>
      table(["WHEN", "ALIAS", "FROM", "TO", "BY"], found.map(changeRow)),
    );
  },
});

function changeRow({ atMs, alias, previous, version, by }: AliasChange): string[] {
  return [timeText(atMs), alias, previous ?? "-", version ?? "-", by];
}

function setSentence(
  artifact: string,
  { alias, version }: VersionAlias,
  previous: string | null,
): string {
  const before =
    previous === null
      ? ", a new alias"
      : previous === version
        ? ", as before"
        : `, before that to ${previous}`;
  return `${printable(artifact)} @${alias} points to ${version}${before}`;
}

function wordsOf(words: readonly string[], names: readonly string[], usage: string): string[] {
  if (words.length === names.length) return [...words];
  throw new UsageError(`name the ${names.join(", the ")}: lossless ${usage}`);
}
