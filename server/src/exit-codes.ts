/** How the process ends; operators' scripts rely on these (docs of starting the service). */
export const exitCodes = {
  clean: 0,
  defect: 1,
  configuration: 2,
  directoryInUse: 3,
  newerData: 4,
  corruption: 5,
  storageFailed: 6,
} as const;

/**
 * The exit code for what ended the service. Errors of the storage threads lose their class on the
 * way and keep their name, so names are compared.
 */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof Error)) return exitCodes.defect;
  switch (error.name) {
    case "ConfigError":
    case "DirectoryForeign":
    case "DirectoryUnusable":
    case "ProvisionConflict":
      return exitCodes.configuration;
    case "DirectoryInUse":
      return exitCodes.directoryInUse;
    case "NewerFormat":
      return exitCodes.newerData;
    case "CorruptData":
      return exitCodes.corruption;
    case "DatabaseError":
      return ofDatabase((error as { kind?: unknown }).kind);
    case "ServiceError":
      return exitCodes.storageFailed;
    default:
      return exitCodes.defect;
  }
}

function ofDatabase(kind: unknown): number {
  if (kind === "misconfigured") return exitCodes.configuration;
  return kind === "corrupt" ? exitCodes.corruption : exitCodes.storageFailed;
}
