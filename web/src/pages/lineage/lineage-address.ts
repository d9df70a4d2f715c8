/** The page of the lineage of a run, or of a version of an artifact. */
export function lineageAddress(
  from: { run: string } | { artifact: string; version: string },
): string {
  return `/lineage?${new URLSearchParams(from).toString()}`;
}
