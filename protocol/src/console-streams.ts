/** Where a line comes from: a stream of the process, or `logging` with its level. */
export const consoleStreams = [
  "stdout",
  "stderr",
  "debug",
  "info",
  "warning",
  "error",
  "critical",
] as const;
export type ConsoleStream = (typeof consoleStreams)[number];
