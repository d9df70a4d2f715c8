/**
 * Returns the result of the work, or, when the deadline (milliseconds or a signal) comes first,
 * that of `late`. Work that is given up goes on, and its outcome is ignored; when the signal has
 * aborted already it does not begin.
 */
export async function withDeadline<Result, Late>(
  deadline: number | AbortSignal | undefined,
  work: () => Promise<Result>,
  late: () => Late | Promise<Late>,
): Promise<Result | Late> {
  const over = Promise.withResolvers<Late>();
  const end = (): void => over.resolve(Promise.try(late));
  const signal = typeof deadline === "number" ? undefined : deadline;
  if (signal?.aborted === true) return late();
  signal?.addEventListener("abort", end);
  const timer = typeof deadline === "number" ? setTimeout(end, deadline) : undefined;
  try {
    return await Promise.race([work(), over.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}
