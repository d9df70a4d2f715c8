import type { LosslessClient, TrashEntry } from "@lossless/client";
import { CommandError, noPositionals, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { bytesText, countText, printable, table, timeText } from "../../output.ts";
import { inTrashRequests } from "../../trash-requests.ts";

export const list = serviceCommand({
  usage: "trash list",
  help: `
Lists deleted entries that can be restored, newest first, and entries that are being purged. CALLED are the names of
experiments, if they have one besides their slug.
`,
  async run(invocation) {
    noPositionals(invocation);
    const entries = await Array.fromAsync(clientOf(invocation).trash.entries());
    invocation.output.answer(entries, () => (entries.length === 0 ? "Nothing." : shown(entries)));
  },
});

export const restore = serviceCommand({
  usage: "trash restore SLUG|SLUG#SERIES|ARTIFACT@VERSION|ID...",
  help: `
Restores entries of the trash, by the name or the id that trash list shows. An experiment returns to its folder; missing
folders are made again.
`,
  async run(invocation) {
    const client = clientOf(invocation);
    const wanted = await named(client, invocation.positionals);
    const entries = await inTrashRequests(idsOf(wanted), (ids) => client.trash.restore(ids));
    invocation.output.answer(entries, () =>
      entries.map((entry) => `${printable(nameOf(entry))} is restored`).join("\n"),
    );
  },
});

export const purge = serviceCommand({
  usage: "trash purge SLUG|SLUG#SERIES|ARTIFACT@VERSION|ID... | --all",
  help: `
Removes entries of the trash for good, by the name or the id that trash list shows: they can no longer be restored. Their
space is free within about a minute, that of a version an hour after its deletion. Needs a person with the role admin:
lossless login.

  --all              everything in the trash
`,
  options: { all: { type: "boolean" } },
  async run(invocation) {
    const { values, positionals, output } = invocation;
    const isAll = values.flag("all");
    if (isAll && positionals.length > 0)
      throw new UsageError("name entries, or give --all, not both");
    const client = clientOf(invocation);
    const wanted = isAll
      ? await Array.fromAsync(client.trash.entries())
      : await named(client, positionals);
    const entries = await inTrashRequests(idsOf(wanted), (ids) => client.trash.purge(ids));
    output.answer(entries, () =>
      entries.length === 0
        ? "The trash is empty."
        : entries.map((entry) => `${printable(nameOf(entry))} is being purged`).join("\n"),
    );
  },
});

function shown(entries: readonly TrashEntry[]): string {
  const areNamed = entries.some(({ experimentName }) => experimentName !== null);
  return table(
    [
      "NAME",
      ...(areNamed ? ["CALLED"] : []),
      "FOLDER",
      "POINTS",
      "SIZE",
      "DELETED",
      "BY",
      "UNTIL",
      "ID",
    ],
    entries.map((entry) => [
      nameOf(entry),
      ...(areNamed ? [entry.experimentName ?? ""] : []),
      entry.folder.join("/"),
      countText(entry.points),
      bytesText(entry.bytes),
      timeText(entry.trashedAtMs),
      entry.trashedBy,
      entry.isPurging ? "being purged" : timeText(entry.purgeAtMs),
      entry.id,
    ]),
  );
}

/** Writes a version as ARTIFACT@VERSION, a series as SLUG#SERIES. */
function nameOf({ name, version, series }: TrashEntry): string {
  if (series !== null) return `${name}#${series}`;
  return version === null ? name : `${name}@${version}`;
}

function idsOf(entries: readonly TrashEntry[]): string[] {
  return entries.map(({ id }) => id);
}

async function named(client: LosslessClient, words: readonly string[]): Promise<TrashEntry[]> {
  if (words.length === 0) throw new UsageError("name entries of the trash, by slug or id");
  const all = await Array.fromAsync(client.trash.entries());
  return [...new Set(words)].map((word) => {
    const found = all.find((entry) => entry.id === word || nameOf(entry) === word);
    if (found !== undefined) return found;
    throw new CommandError(`${printable(word)} is not in the trash; trash list shows its entries`);
  });
}
