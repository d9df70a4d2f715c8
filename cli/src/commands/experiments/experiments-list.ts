import { noPositionals } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { table, timeText } from "../../output.ts";
import { runNames } from "../../run-names.ts";
import { experimentsBelow, folderAt, folderPath } from "../../tree-selection.ts";

export const list = serviceCommand({
  usage: "experiments list [--folder PATH] [--status running|done|error]",
  help: `
Lists the experiments of the organization, one a line, by folder and slug, with their names if these differ.
--json has their description and times.

  --folder PATH      only those at and below a folder, names joined by slashes
  --status S         only those with this status`,
  options: { folder: { type: "string" }, status: { type: "string" } },
  async run(invocation) {
    noPositionals(invocation);
    const { values, output } = invocation;
    const status = values.choice("status", ["any", "running", "done", "error"]);
    const path = folderPath(values.text("folder") ?? "");
    const client = clientOf(invocation);
    const tree = await client.folders.tree();
    const all = experimentsBelow(tree, path);
    const folderId = path.length === 0 ? undefined : folderAt(tree, path).folderId;
    const names = await runNames(client, folderId);
    const chosen = all
      .filter((experiment) => status === "any" || experiment.status === status)
      .map((experiment) => ({ ...experiment, name: names.get(experiment.experimentId) ?? null }));
    const areNamed = chosen.some(({ name }) => name !== null);
    output.answer(chosen, () =>
      table(
        ["SLUG", ...(areNamed ? ["NAME"] : []), "STATUS", "UPDATED", "FOLDER"],
        chosen.map(({ slug, name, status: now, updatedAtMs, folder }) => {
          const named = areNamed ? [name ?? ""] : [];
          return [slug, ...named, now, timeText(updatedAtMs), folder.join("/")];
        }),
      ),
    );
  },
});
