import { versionPattern } from "@lossless/protocol/names";
import { ServiceError } from "../../ground/errors.ts";
import { type Stage, stages } from "../../registry/stages.ts";
import { invalid, invalidValue, missing } from "./message.ts";
import { checkLength, normalPath, type Pair } from "./words.ts";

/** The rules of MLflow's registry, in its words. */

const limits = { name: 256, alias: 255, key: 250, value: 100_000, description: 5_000, source: 500 };

export function checkModelName(name: string, path = "name"): void {
  if (name.trim() === "") throw missing(path);
  if (name.includes("/") || name.includes(":"))
    throw invalid(`Invalid model name '${name}'. Names cannot contain '/' or ':'.`);
  if (/\p{Cc}/u.test(name)) throw invalid(`Invalid model name: it has control characters.`);
  const normal = normalPath(name);
  if (normal !== name || name === "." || name.startsWith("..")) {
    throw invalid(
      invalidValue(
        path,
        name,
        "Names may be treated as files in certain cases, and must not resolve to other names when " +
          `treated as such. This name would resolve to '${normal}'`,
      ),
    );
  }
  checkLength(path, limits.name, name);
}

export function checkRegistryTags(tags: readonly Pair[]): void {
  for (const { key, value } of tags) {
    if (key === "") throw missing("key");
    checkLength("key", limits.key, key);
    checkLength("value", limits.value, value);
    if (key === promptTag && value.toLowerCase() === "true")
      throw new ServiceError("not_implemented", "Lossless keeps no prompts.");
  }
}

/** With this tag MLflow keeps prompts among its models. */
export const promptTag = "mlflow.prompt.is_prompt";

export function checkVersionTexts({
  description,
  source,
}: {
  description: string;
  source: string;
}): void {
  checkLength("description", limits.description, description);
  checkLength("source", limits.source, source);
}

export function checkDescription(description: string): void {
  checkLength("description", limits.description, description);
}

const aliasForm = new RegExp(versionPattern);

/** Checks an alias to be set. MLflow's may also begin with `_` or `-`, or have other letters. */
export function checkNewAlias(alias: string): void {
  if (alias === "") throw invalid("Registered model alias name cannot be empty.");
  if (alias.toLowerCase() === "latest")
    throw invalid("'latest' alias name (case insensitive) is reserved.");
  if (/^[vV]\d+$/.test(alias)) throw invalid(`Version alias name '${alias}' is reserved.`);
  if (aliasForm.test(alias)) return;
  throw invalid(
    `Invalid alias name: '${alias}'. Names may only contain alphanumerics, underscores (_), dots (.) and dashes (-), ` +
      "begin with a letter or digit, and have at most 128 characters.",
  );
}

/** Reads the number of a version. */
export function versionNumber(version: string): number {
  if (/^\s*[+-]?\d{1,15}\s*$/.test(version)) return Number(version);
  throw invalid(`Parameter 'version' must be an integer, got '${version}'.`);
}

export function stageNamed(stage: string): Stage {
  const found = stages.find((one) => one.toLowerCase() === stage.toLowerCase());
  if (found !== undefined) return found;
  throw invalid(
    `Invalid Model Version stage: ${stage}. Value must be one of ${stages.join(", ")}.`,
  );
}
