import type { LosslessClient, TrashEntry } from "@lossless/client";
import { CommandError, type Invocation, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { namedExperiment } from "../../named-experiment.ts";
import { countedText, printable, timeText } from "../../output.ts";
import { inTrashRequests } from "../../trash-requests.ts";
import { folderAt, folderPath } from "../../tree-selection.ts";

export const deleteExperiments = serviceCommand({
  usage: "delete SLUG... | SLUG --series NAME | --folder PATH | --artifact PATH",
  help: `
Moves experiments to the trash, by slug: no list and no read shows them any more, recording into them is refused, and
their slugs stay taken. lossless trash restore brings them back until the day that is shown.

  --series NAME      only this series of the experiment, with all its partitions; may be repeated
  --folder PATH      a folder with all folders and experiments in it: parent/child
  --artifact PATH    all versions of an artifact, which keeps its epoch; their names are not used again
  --version V        with --artifact only this version; may be repeated
`,
  options: {
    series: { type: "string", multiple: true },
    folder: { type: "string" },
    artifact: { type: "string" },
    version: { type: "string", multiple: true },
  },
  run(invocation) {
    const { values, positionals } = invocation;
    const folder = values.text("folder");
    const artifact = values.text("artifact");
    const isSeries = values.texts("series").length > 0;
    if (isSeries && positionals.length !== 1)
      throw new UsageError("--series needs the slug of one experiment");
    if (artifact === undefined && values.texts("version").length > 0)
      throw new UsageError("--version needs --artifact");
    if ([folder, artifact, positionals[0]].filter((each) => each !== undefined).length !== 1)
      throw new UsageError("name experiments by their slugs, or --folder, or --artifact");
    if (folder !== undefined) return deleteFolder(invocation, folder);
    if (artifact !== undefined) return deleteVersions(invocation, artifact);
    return isSeries ? deleteSeries(invocation) : deleteNamed(invocation);
  },
});

async function deleteNamed(invocation: Invocation): Promise<void> {
  const client = clientOf(invocation);
  const slugs = [...new Set(invocation.positionals)];
  const ids: string[] = [];
  for (const experimentSlug of slugs) {
    const read = () => client.experiment({ experimentSlug });
    ids.push((await namedExperiment(client, experimentSlug, read)).experimentId);
  }
  return toTrash(invocation, ids, (some) => client.trash.experiments(some));
}

async function deleteSeries(invocation: Invocation): Promise<void> {
  const client = clientOf(invocation);
  const [experimentSlug] = invocation.positionals;
  const read = () => client.experiment({ experimentSlug });
  const { experimentId } = await namedExperiment(client, experimentSlug, read);
  const names = invocation.values.texts("series");
  return toTrash(invocation, names, (some) => client.trash.series(experimentId, some));
}

async function toTrash(
  { output }: Invocation,
  words: readonly string[],
  ask: (some: string[]) => Promise<TrashEntry[]>,
): Promise<void> {
  const entries = await inTrashRequests(words, ask);
  output.answer(entries, () =>
    entries
      .map((entry) => {
        const until = timeText(entry.purgeAtMs);
        return `${printable(labelOf(entry))} is in the trash; it can be restored until ${until}`;
      })
      .join("\n"),
  );
}

function labelOf({ name, series, version }: TrashEntry): string {
  if (series !== null) return `${series} of ${name}`;
  return version === null ? name : `${name} ${version}`;
}

async function deleteVersions(invocation: Invocation, artifact: string): Promise<void> {
  const client = clientOf(invocation);
  const given = invocation.values.texts("version");
  const versions = given.length > 0 ? given : await versionsOf(client, artifact);
  if (versions.length === 0) throw new CommandError(`${printable(artifact)} has no versions`);
  return toTrash(invocation, versions, (some) => client.trash.versions(artifact, some));
}

async function versionsOf(client: LosslessClient, artifact: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { version } of client.artifacts.versions(artifact)) names.push(version);
  return names;
}

async function deleteFolder(invocation: Invocation, text: string): Promise<void> {
  const client = clientOf(invocation);
  const path = folderPath(text);
  const { folderId } = folderAt(await client.folders.tree(), path);
  const deleted = await client.trash.folder(folderId);
  invocation.output.answer(deleted, () => {
    const { experiments, folders } = deleted;
    return `${printable(text)} is deleted: ${countedText(experiments, "experiment")} moved to the trash, ${countedText(folders, "folder")} removed`;
  });
}
