/**
 * The page for a link printed by MLflow's clients, such as `/#/experiments/1/runs/2`, from its
 * fragment; undefined for others.
 */
export function printedAddress(hash: string): string | undefined {
  const found = /^#\/experiments\/([\w-]+)(?:\/runs\/([\w-]+))?/.exec(hash);
  if (found === null) return undefined;
  const [, folder, run] = found;
  if (run !== undefined) return `/experiments/${run}`;
  return folder === "0" ? "/experiments" : `/experiments?folder=${folder}`;
}
