/** Progress of a push or a pull. It goes back when a phase is repeated. */
export interface TransferProgress {
  phase: "reading" | "sending" | "committing" | "fetching";
  bytes: number;
  bytesTotal: number;
}
