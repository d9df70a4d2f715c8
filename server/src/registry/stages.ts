/**
 * MLflow's stages are aliases here: the version in Production is the one to which the alias
 * `production` points. A version without such an alias is in None, or in Archived if it was moved
 * there.
 */
export const stages = ["None", "Staging", "Production", "Archived"] as const;
export type Stage = (typeof stages)[number];

/** The aliases of the active stages, the last of which counts if a version has both. */
export const stageAliases = { Staging: "staging", Production: "production" } as const;

export function isActive(stage: Stage): stage is keyof typeof stageAliases {
  return Object.hasOwn(stageAliases, stage);
}

/** Returns the stage in which its aliases place a version. */
export function stageOf(aliases: readonly string[], isArchived: boolean): Stage {
  if (aliases.includes(stageAliases.Production)) return "Production";
  if (aliases.includes(stageAliases.Staging)) return "Staging";
  return isArchived ? "Archived" : "None";
}
