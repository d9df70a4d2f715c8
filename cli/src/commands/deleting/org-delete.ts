import type { DeletedOrganization, LosslessClient, OrganizationContents } from "@lossless/client";
import { administered, administrationCommand, onData, waysHelp } from "../../administration.ts";
import { CommandError, noPositionals, onlyPositional } from "../../command.ts";
import { dataCommand, serviceOptionsOf } from "../../data-location.ts";
import { bytesText, countedText, printable, table, timeText } from "../../output.ts";

export const deleteOrganization = administrationCommand({
  usage: "org delete NAME [--dry-run]",
  help: `
Moves an organization to the trash with everything in it: its keys, sessions, tokens and identity provider give no access,
and nothing is recorded, until it is restored. After its days in the trash it is removed for good; its name stays taken.
lossless export organization DIR keeps a copy. Through the service it needs an owner.

  --dry-run          change nothing, and say what would be deleted
${waysHelp}`,
  options: { "dry-run": { type: "boolean" } },
  run(invocation) {
    const name = onlyPositional(invocation, named);
    const { output, values } = invocation;
    const isDry = values.flag("dry-run");
    const contents = (found: OrganizationContents) => {
      output.answer(found, () => contentsText(found));
    };
    const deleted = (found: DeletedOrganization) => {
      output.answer(found, () => {
        const until = timeText(found.purgeAtMs);
        return `${printable(found.name)} is in the trash; it can be restored until ${until}`;
      });
    };
    return administered(invocation, {
      async byService({ trash }) {
        if (!isDry) return deleted(await trash.organization(name));
        const found = await trash.organizationContents();
        if (found.name === name) return contents(found);
        const called = `${printable(found.name)}, not ${printable(name)}`;
        throw new CommandError(`the organization is called ${called}`);
      },
      async onData(administration) {
        if (isDry) return contents(await administration.readContents(name));
        const { trashDays } = await serviceOptionsOf(invocation, ["trashDays"]);
        return deleted(await administration.deleteOrganization(name, trashDays));
      },
    });
  },
});

export const restoreOrganization = administrationCommand({
  usage: "org restore NAME [--data DIR]",
  help: `
Restores a deleted organization as it was. Through the service it needs one of its owners.
${waysHelp}`,
  run(invocation) {
    const name = onlyPositional(invocation, named);
    const answer = (found: DeletedOrganization) => {
      invocation.output.answer(found, () => `${printable(found.name)} is restored`);
    };
    return administered(invocation, {
      byService: async (client) => {
        return answer(await client.trash.restoreOrganization(await idOf(client, name)));
      },
      onData: async (administration) => answer(await administration.restoreOrganization(name)),
    });
  },
});

export const purgeOrganization = dataCommand({
  usage: "org purge NAME [--leave-objects] [--data DIR]",
  help: `
Removes a deleted organization for good: it can no longer be restored. A running service removes it, at the earliest an
hour after the deletion, because addresses of files are valid that long. Objects in the organization's own buckets are
removed too; a bucket that cannot be reached delays the purge, and lossless gc names it. Works on the data itself.

  --leave-objects    give up on objects in buckets that no longer exist`,
  options: { "leave-objects": { type: "boolean" } },
  run(invocation) {
    const name = onlyPositional(invocation, named);
    const leaves = invocation.values.flag("leave-objects");
    return onData(invocation, async (administration) => {
      const found = await administration.purgeOrganization(name, leaves);
      invocation.output.answer(found, () => {
        return `a running service removes ${printable(found.name)} from ${timeText(found.purgeAtMs)} on`;
      });
      return;
    });
  },
});

export const deletedOrganizations = administrationCommand({
  usage: "org deleted [--data DIR]",
  help: `
Lists deleted organizations, and until when each can be restored: through the service those that you own, on the data
all of them.
${waysHelp}`,
  run(invocation) {
    noPositionals(invocation);
    const answer = (all: readonly DeletedOrganization[]) => {
      invocation.output.answer(all, () =>
        all.length === 0
          ? "None."
          : table(
              ["ID", "NAME", "DELETED", "UNTIL"],
              all.map(({ id, name, trashedAtMs, purgeAtMs, isPurging }) => [
                id,
                name,
                timeText(trashedAtMs),
                isPurging ? "being purged" : timeText(purgeAtMs),
              ]),
            ),
      );
    };
    return administered(invocation, {
      byService: async ({ trash }) => answer(await trash.organizations()),
      onData: async (administration) => answer(await administration.listDeletedOrganizations()),
    });
  },
});

const named = "organization";

function contentsText(found: OrganizationContents): string {
  const { name, experiments, points, artifacts, versions, artifactBytes, buckets } = found;
  return [
    `${countedText(experiments, "experiment")} with ${countedText(points, "point")}`,
    `${countedText(artifacts, "artifact")} with ${countedText(versions, "version")}, ${bytesText(artifactBytes)}`,
    `files in ${countedText(buckets, "bucket")} of its own; the buckets themselves stay`,
    `${countedText(found.people, "membership")}, ${countedText(found.apiKeys, "API key")}`,
    `lossless export organization DIR keeps a copy of ${printable(name)}; nothing was changed`,
  ].join("\n");
}

async function idOf({ trash }: LosslessClient, name: string): Promise<string> {
  const all = await trash.organizations();
  const found = all.find((one) => one.name === name || one.id === name);
  if (found !== undefined) return found.id;
  throw new CommandError(`no deleted organization of yours is called ${printable(name)}`);
}
