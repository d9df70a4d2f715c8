/** Parts of MLflow's server that Lossless lacks: refused at once, with a sentence. */
const parts: readonly { paths: RegExp; sentence: string }[] = [
  {
    paths: /^\/model-versions\/get-artifact$/,
    sentence:
      "Files of a version of a model are read where they are: model-versions/get-download-uri says it.",
  },
  {
    paths:
      /^\/api\/[23]\.0\/mlflow\/(?:traces|assessments|issues|labeling|scorers|judges)\b|^\/v1\/traces$/,
    sentence: "Lossless keeps no traces and no evaluations of them.",
  },
  {
    paths: /^\/api\/[23]\.0\/mlflow\/prompts?\b/,
    sentence: "Lossless keeps no prompts.",
  },
  {
    paths: /^\/api\/[23]\.0\/mlflow\/datasets\b/,
    sentence: "Lossless has no evaluation data sets; log the data sets of a run with the run.",
  },
  {
    paths: /^\/api\/[23]\.0\/mlflow\/(?:gateway|gateway-proxy|secrets|endpoints|jobs|budgets?)\b/,
    sentence: "Lossless is not a gateway to models.",
  },
  { paths: /^\/api\/[23]\.0\/mlflow\/webhooks\b/, sentence: "Lossless calls no webhooks." },
  {
    paths: /^\/api\/[23]\.0\/mlflow\/workspaces\b/,
    sentence: "Lossless has no workspaces: the key decides the organization.",
  },
  {
    paths: /^\/graphql$/,
    sentence:
      "Lossless does not answer GraphQL. The SDK of W&B does not record here; Lossless answers `import wandb` itself with LOSSLESS_AS_WANDB=1, `python -m lossless run train.py`, or lossless.as_wandb() in code.",
  },
  {
    paths: /^\/api\/[23]\.0\/mlflow\/artifacts\/presigned-(?:up|down)load-url$/,
    sentence:
      "Lossless gives no addresses for artifact locations that clients reach by themselves.",
  },
];

/** Returns why an address of MLflow's is not served; undefined: MLflow does not have it either. */
export function missingPart(path: string): string | undefined {
  return parts.find(({ paths }) => paths.test(path))?.sentence;
}
