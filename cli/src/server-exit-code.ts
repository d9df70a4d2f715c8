/**
 * The exit code for an error of the server, which is there when one of its errors is; undefined for
 * others, and for defects.
 */
export async function serverExitCode(error: unknown): Promise<number | undefined> {
  const server = await import("@lossless/server/ground/exit-codes").catch(() => undefined);
  return server?.exitCodeOfCommand(error);
}
