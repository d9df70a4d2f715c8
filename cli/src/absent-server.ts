/**
 * Whether a command failed because `@lossless/server` is missing: the command line can be installed
 * without the service, for machines that only push, pull and read.
 */
export function isServerAbsent(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    error.code === "ERR_MODULE_NOT_FOUND" &&
    error.message.startsWith("Cannot find package '@lossless/server'")
  );
}
