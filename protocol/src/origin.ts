/**
 * Source and environment of a run, as clients keep them in an experiment's meta:
 * docs/client-python.md.
 */
export const originKeys = { source: "_source", environment: "_environment" } as const;

const packages = `${originKeys.environment}.packages.`;
const diff = `${originKeys.source}.diff.`;

/**
 * Packages by which experiments are found and sorted. A run has hundreds, and an index of all would
 * be larger than everything else in it.
 */
const indexedPackages: ReadonlySet<string> = new Set(
  [
    "torch torchvision torchaudio pytorch-lightning lightning tensorflow keras jax jaxlib flax",
    "numpy scipy pandas polars scikit-learn xgboost lightgbm catboost",
    "transformers datasets tokenizers accelerate diffusers peft trl timm sentence-transformers",
    "deepspeed flash-attn xformers triton bitsandbytes apex megatron-core vllm ray",
    "optuna hydra-core omegaconf gymnasium stable-baselines3 lossless wandb mlflow",
  ]
    .join(" ")
    .split(" "),
);

/** Whether queries, sorting and completion know the value at this path of a meta. */
export function isIndexedPath(path: string): boolean {
  if (path.startsWith(diff)) return false;
  return !path.startsWith(packages) || indexedPackages.has(unquoted(path.slice(packages.length)));
}

/** Names whose members compare: experiments without any of these say nothing about one of them. */
const parts = [packages, `${originKeys.environment}.`, `${originKeys.source}.`];

/** Returns which part of source and environment a path belongs to; undefined: to none. */
export function originPart(path: string): string | undefined {
  return parts.find((part) => path.startsWith(part));
}

/** Whether a path only says where the diff is stored, which is another place for each run. */
export function isPlaceOfDiff(path: string): boolean {
  return path.startsWith(diff) && path !== `${diff}sha256`;
}

/** Whether a path is the command of a run: those of a sweep differ by the values that have keys. */
export function isCommand(path: string): boolean {
  return path === `${originKeys.source}.command`;
}

/** Tags in which MLflow's clients write the same, with the places of the meta. */
export const originTags = {
  "mlflow.source.name": [originKeys.source, "script"],
  "mlflow.source.git.commit": [originKeys.source, "commit"],
  "mlflow.source.git.branch": [originKeys.source, "branch"],
  "mlflow.source.git.repoURL": [originKeys.source, "remote"],
  "mlflow.user": [originKeys.environment, "user"],
} as const;

/** Returns these tags of a meta. */
export function tagsOfOrigin(meta: Readonly<Record<string, unknown>>): Map<string, string> {
  const found = new Map<string, string>();
  for (const [tag, [key, member]] of Object.entries(originTags)) {
    const part = meta[key];
    if (typeof part !== "object" || part === null) continue;
    const value = (part as Readonly<Record<string, unknown>>)[member];
    if (typeof value === "string" && value !== "") found.set(tag, value);
  }
  return found;
}

function unquoted(key: string): string {
  return key.startsWith('"') ? key.slice(1, -1) : key;
}
