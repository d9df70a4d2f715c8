import { LosslessError } from "../../errors.ts";

export const sourceKinds = ["git", "diff", "command"] as const;
export const environmentKinds = [
  "host",
  "user",
  "system",
  "gpus",
  "scheduler",
  "packages",
] as const;
export type OriginKind = (typeof sourceKinds)[number] | (typeof environmentKinds)[number];

export interface OriginChoice {
  /**
   * Kinds out of git, diff and command: all (true, the default), none (false), some
   * (`"git,command"`), or all but some (`"-diff"`). Absent: LOSSLESS_SOURCE.
   */
  source?: boolean | string;
  /** The same of host, user, system, gpus, scheduler and packages. Absent: LOSSLESS_ENVIRONMENT. */
  environment?: boolean | string;
}

const on = ["", "on", "true", "yes", "1"];
const off = ["off", "false", "no", "0"];

/** Returns the kinds to keep, by the rules of the Python client. Throws for a word that is none. */
export function wantedKinds(
  { source, environment }: OriginChoice,
  variables: NodeJS.ProcessEnv,
): Set<OriginKind> {
  const ofSource = source ?? variables["LOSSLESS_SOURCE"] ?? true;
  const ofEnvironment = environment ?? variables["LOSSLESS_ENVIRONMENT"] ?? true;
  return new Set<OriginKind>([
    ...chosen("source", ofSource, sourceKinds),
    ...chosen("environment", ofEnvironment, environmentKinds),
  ]);
}

function chosen<Kind extends OriginKind>(
  name: string,
  said: boolean | string,
  all: readonly Kind[],
): Kind[] {
  const text = String(said).trim().toLowerCase();
  if (on.includes(text)) return [...all];
  if (off.includes(text)) return [];
  const words = text.split(/[,\s]+/).filter((word) => word !== "");
  const named = new Set(words.map((word) => word.replace(/^-/, "")));
  const isLeftOut = words.every((word) => word.startsWith("-"));
  const isMixed = !isLeftOut && words.some((word) => word.startsWith("-"));
  const known: readonly string[] = all;
  if (isMixed || [...named].some((word) => !known.includes(word))) {
    throw new LosslessError(
      `${name} (or LOSSLESS_${name.toUpperCase()}) is on, off, or some of ${all.join(", ")}, ` +
        `each with a minus or none, not ${JSON.stringify(said)}`,
    );
  }
  // A diff is nothing without its commit.
  if (isLeftOut && named.has("git")) named.add("diff");
  if (!isLeftOut && named.has("diff")) named.add("git");
  return all.filter((kind) => named.has(kind) !== isLeftOut);
}
