/**
 * The page to which a link leads that MLflow's clients print, such as `/#/experiments/1/runs/2`, by
 * what stands in it behind the `#`; undefined: that is none.
 */
export function printedAddress(hash: string): string | undefined {
  const found = /^#\/experiments\/([\w-]+)(?:\/runs\/([\w-]+))?/.exec(hash);
  if (found === null) return undefined;
  const [, folder, run] = found;
  if (run !== undefined) return `/experiments/${run}`;
  return folder === "0" ? "/experiments" : `/experiments?folder=${folder}`;
}
