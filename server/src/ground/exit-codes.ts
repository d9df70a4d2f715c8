/** How the process ends; operators' scripts rely on these (docs/operating.md, "Start and stop"). */
export const exitCodes = {
  clean: 0,
  defect: 1,
  configuration: 2,
  directoryInUse: 3,
  newerData: 4,
  corruption: 5,
  storageFailed: 6,
} as const;

/** After these somebody has to look first: a supervisor that starts the service again does harm. */
export const lastingExitCodes: readonly number[] = [
  exitCodes.configuration,
  exitCodes.directoryInUse,
  exitCodes.newerData,
  exitCodes.corruption,
];

/** By the errors' names: those of the storage threads lose their class on the way. */
const codes: Readonly<Record<string, number>> = {
  ConfigError: exitCodes.configuration,
  DirectoryForeign: exitCodes.configuration,
  DirectoryUnusable: exitCodes.configuration,
  ProvisionConflict: exitCodes.configuration,
  DirectoryInUse: exitCodes.directoryInUse,
  NewerFormat: exitCodes.newerData,
  CorruptData: exitCodes.corruption,
  BackupDamaged: exitCodes.corruption,
};

/** The exit code for what ended the service. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Error && error.name === "ServiceError") return exitCodes.storageFailed;
  return known(error) ?? exitCodes.defect;
}

/**
 * The same for a command that works on the data itself: 1 is what it was refused, too. Undefined:
 * the error is a defect.
 */
export function exitCodeOfCommand(error: unknown): number | undefined {
  const isRefused = error instanceof Error && /^(ServiceError|StoreError)$/.test(error.name);
  return isRefused ? 1 : known(error);
}

function known(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === "DatabaseError") return ofDatabase((error as { kind?: unknown }).kind);
  return Object.hasOwn(codes, error.name) ? codes[error.name] : undefined;
}

function ofDatabase(kind: unknown): number {
  if (kind === "misconfigured") return exitCodes.configuration;
  return kind === "corrupt" || kind === "damaged" ? exitCodes.corruption : exitCodes.storageFailed;
}
