/** Properties of an operation that the writer needs before it runs it. */
export interface OperationFlags {
  /** The operation is small and frees space: it runs on a nearly full disk. */
  onFullDisk?: true;
  /** The appends of a group do not see its changes: it runs in a group of its own. */
  alone?: true;
  /**
   * The operation runs on the server with the points of `experimentId` of its input, or on the
   * `server` that its input names.
   */
  atPoints?: true;
  /**
   * Returns the experiments of an input whose points the operation needs to know as they are now:
   * workers tell of them before it runs.
   */
  fresh?: (input: never) => readonly string[];
  /** Work that the background thread begins at once afterwards. */
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
