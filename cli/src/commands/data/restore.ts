import type { Restored } from "@lossless/server/operator/restore";
import {
  paceHelp,
  paceOf,
  paceOptions,
  placeHelp,
  placeOptions,
  placeSettingsOf,
} from "../../backup-place.ts";
import { type Command, type CommandOptions, type Invocation, UsageError } from "../../command.ts";
import { shown } from "./backup.ts";
import { Interruption } from "../../interruption.ts";
import { countedText, countText, timeText } from "../../output.ts";

export const choiceOptions: CommandOptions = {
  id: { type: "string" },
  until: { type: "string" },
};

export const choiceHelp = `
  --id ID            the backup with this id, or whose id begins with it (the newest)
  --until TIME       the newest that was taken until then, for example 2026-11-23T18:00:00Z`;

export const restore: Command = {
  usage: "restore PLACE DIR [--id ID | --until TIME]",
  help: `
Makes the data directory DIR, which must be empty or not exist, from a backup in PLACE: a directory, or
s3://bucket/prefix. It checks every byte; if something is damaged or missing, DIR stays empty. It ends the tokens of
running experiments, personal tokens, sessions, sign-ins and open invitations, because some may have been ended since the
backup; recorders with an API key continue by themselves. API keys stay valid, also those revoked since the backup.
${choiceHelp}
  --artifacts DIR    directory for files of the built-in location (artifacts in DIR)
  --revoke-keys      end all API keys, too${placeHelp}${paceHelp}`,
  options: {
    ...choiceOptions,
    ...placeOptions,
    ...paceOptions,
    artifacts: { type: "string" },
    "revoke-keys": { type: "boolean" },
  },
  async run(invocation) {
    const { values, positionals, output } = invocation;
    const [place, directory, ...more] = positionals;
    if (place === undefined || directory === undefined || more.length > 0) {
      throw new UsageError("name the place of the backups and the new data directory");
    }
    const { restore: run } = await import("@lossless/server/operator/restore");
    let clean = (): void => undefined;
    using _interruption = new Interruption(() => {
      clean();
      output.failure("stopped; run the same command again to start over");
    });
    const restored = await run({
      ...placeSettingsOf(invocation, place),
      choice: choiceOf(invocation),
      directory,
      artifacts: values.text("artifacts"),
      bytesPerSecond: paceOf(invocation),
      revokeKeys: values.flag("revoke-keys"),
      interruptible: (wanted) => (clean = wanted),
    });
    output.answer({ ...restored, generation: shown(restored.generation) }, () =>
      restoredText(restored, directory),
    );
  },
};

export function choiceOf({ values }: Invocation): { id?: string; untilMs?: number } {
  const [id, until] = [values.text("id"), values.text("until")];
  if (id !== undefined && until !== undefined)
    throw new UsageError("give --id or --until, not both");
  if (id !== undefined) return { id };
  if (until === undefined) return {};
  const untilMs = Date.parse(until);
  if (!Number.isNaN(untilMs)) return { untilMs };
  throw new UsageError(`--until must be a time like 2026-11-23T18:00:00Z, not ${until}`);
}

function restoredText({ generation, ended }: Restored, directory: string): string {
  const { id, takenAtMs, experiments, points, versions, masterKeyIds, holdsMasterKey } = generation;
  const lines = [
    `restored ${id} to ${directory}: ${countedText(experiments, "experiment")}, ${countedText(points, "point")}, ` +
      `${countedText(versions, "version")}, as of ${timeText(takenAtMs)}`,
    endedText(ended),
  ];
  if (ended.apiKeys > 0) lines.push(keysText(ended, `--data ${directory}`));
  if (!holdsMasterKey) {
    lines.push(
      masterKeyIds.length === 0
        ? "the master key was not in the backup; nothing is sealed under it, and the start makes a new one"
        : `the master key was NOT in the backup: put the one with the id ${masterKeyIds.join(", ")} at ` +
            `${directory}/master.key (mode 0600) before the start`,
    );
  }
  return lines.join("\n");
}

export function endedText(ended: Restored["ended"]): string {
  return (
    `ended: ${countedText(ended.experimentTokens, "experiment token")}, ` +
    `${countedText(ended.personalTokens, "personal token")}, ${countedText(ended.sessions, "session")}, ${countedText(ended.signIns, "command line sign-in")}, ` +
    `${countedText(ended.invitations, "invitation")}`
  );
}

export function keysText({ apiKeys }: Restored["ended"], where: string): string {
  return (
    `API keys valid again: ${countText(apiKeys)}. Look through lossless keys list ` +
    `${where} for keys that were revoked since`
  );
}
