/** What the writer has to know of an operation before it runs it. */
export interface OperationFlags {
  /** It is small, and frees space: it runs on a disk that is nearly full. */
  onFullDisk?: true;
  /** The appends of a group do not see what it changes: it has a group of its own. */
  alone?: true;
  /** What the background thread does at once after it. */
  wakes?: "purge";
}

/** The same operation, with flags for the writer. */
export function flagged<Operation extends (...inputs: never[]) => unknown>(
  run: Operation,
  flags: OperationFlags,
): Operation & OperationFlags {
  const same = (...inputs: never[]) => run(...inputs);
  return Object.assign(same as Operation, flags);
}
