import type { ModelEntry, ViewedModelVersion } from "@lossless/client";
import { UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { printable, table, timeText } from "../../output.ts";

export const list = serviceCommand({
  usage: "models list [--search TEXT]",
  help: `
Lists registered models by name, with their highest version and their aliases.

  --search TEXT      only models whose name contains this`,
  options: { search: { type: "string" } },
  async run(invocation) {
    const { values, output, positionals } = invocation;
    if (positionals.length > 0) throw new UsageError("write: lossless models list");
    const { models } = clientOf(invocation);
    const search = values.text("search") ?? "";
    const found: ModelEntry[] = [];
    for (let after: string | undefined = ""; after !== undefined;) {
      const page = await models.list({ search, ...(after === "" ? {} : { after }) });
      found.push(...page.models);
      after = page.next ?? undefined;
    }
    if (found.length === 0) output.note("there are no registered models");
    output.answer(found, () =>
      table(
        ["MODEL", "LATEST", "ALIASES", "CHANGED", "DESCRIPTION"],
        found.map(({ model, latest, aliases, changedAtMs, description }) => [
          model,
          latest === null ? "-" : String(latest),
          aliases.map(({ alias, version }) => `@${alias}=${version}`).join(" "),
          timeText(changedAtMs),
          description.split("\n")[0],
        ]),
      ),
    );
  },
});

export const show = serviceCommand({
  usage: "models show MODEL [VERSION|@ALIAS]",
  help: `
Shows a registered model with its newest versions, or one of its versions.
"lossless pull --model MODEL@ALIAS" fetches the files of a version that is of an artifact.
`,
  async run(invocation) {
    const { output, positionals } = invocation;
    const [model, version, ...more] = positionals;
    if (model === undefined || more.length > 0) {
      throw new UsageError("name a model: lossless models show MODEL [VERSION|@ALIAS]");
    }
    const { models } = clientOf(invocation);
    if (version !== undefined) {
      const found = await models.version(model, version);
      output.answer(found, () => versionsText([found]));
      return;
    }
    const found = await models.read(model);
    output.answer(found, () => {
      const more = found.next === null ? "" : `\nand older ones, before ${found.next}`;
      const description = found.description === "" ? "" : `${printable(found.description)}\n\n`;
      return `${description}${versionsText(found.versions)}${more}`;
    });
  },
});

function versionsText(versions: readonly ViewedModelVersion[]): string {
  return table(
    ["VERSION", "ALIASES", "IS", "RUN", "SINCE", "BY"],
    versions.map(({ version, aliases, artifact, artifactVersion, source, experiment, ...made }) => [
      String(version),
      aliases.map((alias) => `@${alias}`).join(" "),
      artifact === null ? source : `${artifact}@${artifactVersion}`,
      experiment?.slug ?? "-",
      timeText(made.createdAtMs),
      made.createdBy,
    ]),
  );
}
