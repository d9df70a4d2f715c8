/** How far a push or a pull is. A phase that has to be repeated goes back. */
export interface TransferProgress {
  phase: "reading" | "sending" | "committing" | "fetching";
  bytes: number;
  bytesTotal: number;
}
