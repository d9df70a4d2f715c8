import type { BackUp } from "@lossless/server/operator/backup";
import {
  paceHelp,
  paceOf,
  paceOptions,
  placeHelp,
  placeOptions,
  placeSettingsOf,
} from "../../backup-place.ts";
import {
  type Command,
  type CommandOptions,
  type Invocation,
  onlyPositional,
  UsageError,
} from "../../command.ts";
import { dataCommand, driverSettingsOf, serviceOptionsOf } from "../../data-location.ts";
import { Interruption } from "../../interruption.ts";
import {
  bytesText,
  countedText,
  countText,
  durationText,
  printable,
  table,
  timeText,
} from "../../output.ts";

const keepingOptions: CommandOptions = {
  keep: { type: "string" },
  "keep-days": { type: "string" },
};

const keepingHelp = `
  --keep N           the newest N stay
  --keep-days D      those of the last D days stay, and the newest in any case; with --keep: either`;

export const backup = dataCommand({
  usage: "backup PLACE [--backup-key-file F] [--keep N] [--keep-days D]",
  help: `
Adds a backup of the whole installation, which may be running, to PLACE: a directory, or s3://bucket/prefix. It stores
what is new since the last backup there and reads it again before the backup counts; an interrupted backup does not count.
Files of artifacts in your own buckets are not included. The master key is not included either unless you ask for it: keep
a copy of master.key with your passwords, or secrets of locations and connections cannot be opened after a restore.
With --backup-key-file everything is encrypted: without that key no backup can ever be read.
Exit code 0: the backup is complete; 5: it was made, but damaged data is missing in it.

  --with-master-key  the master key goes into the backup, which has to be encrypted${placeHelp}${keepingHelp}${paceHelp}
  --segments U       sealed points in S3, as for the service (LOSSLESS_SEGMENTS)
  --staging DIR      directory for a temporary copy of the database (the data directory)
  --artifacts DIR    files of the built-in location (LOSSLESS_ARTIFACTS; artifacts in the data directory)
  --master-key-file F  the service's master key (LOSSLESS_MASTER_KEY_FILE; master.key in the data directory)`,
  options: {
    ...placeOptions,
    ...keepingOptions,
    ...paceOptions,
    "with-master-key": { type: "boolean" },
    staging: { type: "string" },
    artifacts: { type: "string" },
    "master-key-file": { type: "string" },
    segments: { type: "string" },
  },
  async run(invocation) {
    const { values, output } = invocation;
    const place = placeSettingsOf(invocation, onlyPositional(invocation, "place for the backup"));
    const keeping = keepingOf(invocation);
    const { backUp } = await import("@lossless/server/operator/backup");
    const { exitCodes } = await import("@lossless/server/ground/exit-codes");
    const { segmentStoreOf } = await import("@lossless/server/settings/segment-store");
    const { artifacts, masterKeyFile, segments } = await serviceOptionsOf(invocation, [
      "artifacts",
      "masterKeyFile",
      "segments",
    ]);
    const located = await driverSettingsOf(invocation);
    let clean = (): void => undefined;
    using _interruption = new Interruption(() => {
      clean();
      output.failure(
        "stopped; earlier backups are unchanged, and the next one uses what is stored",
      );
    });
    const made = await backUp({
      ...located,
      ...place,
      segments:
        segments === undefined
          ? undefined
          : segmentStoreOf(segments, located.databaseUrl, invocation.environment),
      artifacts,
      masterKeyFile,
      keeping,
      withMasterKey: values.flag("with-master-key"),
      bytesPerSecond: paceOf(invocation),
      staging: values.text("staging"),
      interruptible: (wanted) => (clean = wanted),
    });
    const { generation } = made;
    output.answer({ ...made, generation: shown(generation) }, () => madeText(made));
    if (!generation.holdsMasterKey) output.note(masterKeyNote(generation.masterKeyIds));
    return made.problems.length === 0 ? 0 : exitCodes.corruption;
  },
});

export const list: Command = {
  usage: "backup list PLACE [--backup-key-file F]",
  help: `
Shows the backups in a directory, or in s3://bucket/prefix, oldest first. ADDED is the size that each of them added.
Exit code 5: the record of a backup, which is named, is damaged.
${placeHelp}`,
  options: placeOptions,
  async run(invocation) {
    const { output } = invocation;
    const { listBackups } = await import("@lossless/server/operator/backup");
    const place = placeSettingsOf(invocation, onlyPositional(invocation, "place of backups"));
    const { generations: found, problems } = await listBackups(place);
    const { exitCodes } = await import("@lossless/server/ground/exit-codes");
    output.answer(found.map(shown), () =>
      table(
        ["BACKUP", "TAKEN", "EXPERIMENTS", "POINTS", "VERSIONS", "BYTES", "ADDED", "MASTER KEY"],
        found.map((one) => [
          one.id,
          timeText(one.takenAtMs),
          countText(one.experiments),
          countText(one.points),
          countText(one.versions),
          bytesText(one.bytes),
          bytesText(one.added.bytes),
          one.holdsMasterKey ? "yes" : "no",
        ]),
      ),
    );
    for (const problem of problems) output.warning(printable(problem));
    return problems.length === 0 ? 0 : exitCodes.corruption;
  },
};

export const prune: Command = {
  usage: "backup prune PLACE --keep N [--keep-days D] [--backup-key-file F]",
  help: `
Removes all backups except those to keep, and their data that no other backup has. The newest always stays.
${keepingHelp}${placeHelp}`,
  options: { ...placeOptions, ...keepingOptions },
  async run(invocation) {
    const { output } = invocation;
    const { pruneBackups } = await import("@lossless/server/operator/backup");
    const place = placeSettingsOf(invocation, onlyPositional(invocation, "place of backups"));
    const keeping = keepingOf(invocation);
    if (keeping === undefined) throw new UsageError("say what to keep: --keep N or --keep-days D");
    const pruned = await pruneBackups(place, keeping);
    output.answer(pruned, () => prunedText(pruned));
  },
};

/** The generation without the pieces of its file list. */
export function shown(generation: BackUp["generation"]): Record<string, unknown> {
  return { ...generation, list: undefined };
}

function keepingOf({ values }: Invocation): { count: number; ageMs: number } | undefined {
  if (values.text("keep") === undefined && values.text("keep-days") === undefined) return undefined;
  const days = values.integer("keep-days", 0, 1, 100_000);
  return { count: values.integer("keep", 1, 1, 1_000_000), ageMs: days * 24 * 60 * 60 * 1_000 };
}

function madeText({ generation, problems, pruned }: BackUp): string {
  const { id, experiments, points, versions, bytes, added } = generation;
  const seconds = (generation.finishedAtMs - generation.takenAtMs) / 1_000;
  const lines = problems.map((problem) => `not in the backup: ${printable(problem)}`);
  lines.push(
    `backup ${id}: ${countedText(experiments, "experiment")}, ${countedText(points, "point")}, ${countedText(versions, "version")}; ` +
      `${bytesText(bytes)}, of which ${bytesText(added.bytes)} new, in ${durationText(seconds)}`,
  );
  if (generation.versionsElsewhere > 0) {
    lines.push(
      `not in the backup: the files of ${countedText(generation.versionsElsewhere, "version")} in buckets`,
    );
  }
  if (pruned !== undefined) lines.push(prunedText(pruned));
  return lines.join("\n");
}

function prunedText({ removed, bytes }: NonNullable<BackUp["pruned"]>): string {
  if (removed.length === 0) return "no backup is old enough to remove";
  return `removed ${removed.join(", ")}, and ${bytesText(bytes)} that only they had`;
}

function masterKeyNote(ids: readonly string[]): string {
  const sealed =
    ids.length === 0 ? "" : ` Secrets in it are sealed under the key ${ids.join(", ")}.`;
  return `The master key is NOT in it.${sealed} Keep a copy of it elsewhere.`;
}
