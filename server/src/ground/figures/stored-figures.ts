/** Prints the amounts in the trash of all organizations; equal on each node. */
export function trashFigures(trash: { entries: number; bytes: number; overdue: number }): string {
  return (
    gauge("lossless_trash_entries", "Entries of the trash, which can be restored.", trash.entries) +
    gauge("lossless_trash_bytes", "Bytes of it, which a purge gives back.", trash.bytes) +
    gauge(
      "lossless_trash_overdue",
      "Entries of the trash that should have been gone an hour ago.",
      trash.overdue,
    )
  );
}

/** Prints the record of the last `lossless backup`; its time is 0 when there is none. */
export function backupFigures(
  last: { takenAtMs: number; bytes: number; addedBytes: number; problems: number } | null,
): string {
  return (
    gauge(
      "lossless_last_backup_timestamp_seconds",
      "Unix time of the newest backup's state; 0 if there is none.",
      Math.floor((last?.takenAtMs ?? 0) / 1_000),
    ) +
    gauge(
      "lossless_last_backup_bytes",
      "Bytes that the newest backup restores.",
      last?.bytes ?? 0,
    ) +
    gauge(
      "lossless_last_backup_added_bytes",
      "Bytes that it added to its place.",
      last?.addedBytes ?? 0,
    ) +
    gauge(
      "lossless_last_backup_problems",
      "Parts that could not be read and are missing in the newest backup.",
      last?.problems ?? 0,
    )
  );
}

function gauge(name: string, help: string, value: number): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`;
}
