import type { PlaceSettings } from "@lossless/server/operator/backup";
import { type CommandOptions, type Invocation, UsageError } from "./command.ts";
import { bytesOf } from "./byte-size.ts";

export const placeOptions: CommandOptions = { "backup-key-file": { type: "string" } };

export const placeHelp = `
  --backup-key-file F  key of encrypted backups, 64 hexadecimal digits (LOSSLESS_BACKUP_KEY_FILE)`;

export const paceOptions: CommandOptions = { "max-bytes-per-second": { type: "string" } };

export const paceHelp = `
  --max-bytes-per-second B  read no faster, for example 20MB`;

/** Settings of PLACE: a directory, or s3://bucket/prefix with credentials in the AWS variables. */
export function placeSettingsOf({ values, environment }: Invocation, place: string): PlaceSettings {
  const variable = environment["LOSSLESS_BACKUP_KEY_FILE"];
  return {
    place,
    backupKeyFile: values.text("backup-key-file") ?? (variable === "" ? undefined : variable),
    variables: environment,
  };
}

/** Bytes per second at most; Infinity without the option. */
export function paceOf({ values }: Invocation): number {
  const text = values.text("max-bytes-per-second");
  if (text === undefined) return Infinity;
  const bytesPerSecond = bytesOf(text);
  if (bytesPerSecond >= 1) return bytesPerSecond;
  throw new UsageError(`--max-bytes-per-second must be a size like 20MB or 1500000, not ${text}`);
}
