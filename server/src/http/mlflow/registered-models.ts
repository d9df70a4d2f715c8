import { limits } from "@lossless/protocol/limits";
import type { Condition } from "../../experiments/mlflow/condition.ts";
import type { PageEnd } from "../../experiments/mlflow/order.ts";
import { writeOne } from "../../storage/storage.ts";
import { parseFilter } from "./filter/filter.ts";
import { parseOrderBy } from "./filter/order-by.ts";
import { modelOrderLanguage, registeredModelLanguage } from "./filter/registry-language.ts";
import { integer, list, message, required, text } from "./message.ts";
import { answered, type MlflowCall, mlflow, placeIn, tokenOf } from "./mlflow.ts";
import { modelVersionOf, registeredModelOf } from "./registry-reply.ts";
import {
  checkDescription,
  checkModelName,
  checkNewAlias,
  checkRegistryTags,
  promptTag,
  stageNamed,
  versionNumber,
} from "./registry-words.ts";
import { isPlace, pageSize } from "./search-page.ts";

const name = { name: required(text) };
export const registryPairs = list(message({ key: text, value: text }));
const latestFields = { ...name, stages: list(text) };

/** MLflow's registered models, which are this service's. */
export const registeredModels = mlflow({
  mlflowCreateRegisteredModel: answered(
    { ...name, tags: registryPairs, description: text },
    async (asked) => {
      const { organizationId, by, message: given, served } = asked;
      checkModelName(given.name);
      const tags = pairsOf(given.tags);
      checkRegistryTags(tags);
      const { description = "" } = given;
      checkDescription(description);
      const input = { organizationId, model: given.name, by, description, tags };
      await writeOne(served.storage, "registry.create", input);
      return shown(asked, given.name);
    },
  ),

  mlflowGetRegisteredModel: answered(name, (asked) => {
    checkModelName(asked.message.name);
    return shown(asked, asked.message.name);
  }),

  mlflowRenameRegisteredModel: answered({ ...name, new_name: required(text) }, async (asked) => {
    const { organizationId, by, message: given, served } = asked;
    checkModelName(given.new_name, "new_name");
    const input = { organizationId, by, model: given.name, newName: given.new_name };
    await writeOne(served.storage, "registry.change", input);
    return shown(asked, given.new_name);
  }),

  mlflowUpdateRegisteredModel: answered({ ...name, description: text }, async (asked) => {
    const { organizationId, by, message: given, served } = asked;
    const { description = "" } = given;
    checkDescription(description);
    const input = { organizationId, by, model: given.name, description };
    await writeOne(served.storage, "registry.change", input);
    return shown(asked, given.name);
  }),

  mlflowDeleteRegisteredModel: answered(name, async (asked) => {
    const { organizationId, by, message: given, served } = asked;
    await writeOne(served.storage, "registry.delete", { organizationId, by, model: given.name });
    return {};
  }),

  mlflowSearchRegisteredModels: answered(
    { filter: text, max_results: integer, order_by: list(text), page_token: text },
    async ({ organizationId, message: given, served: { storage } }) => {
      const limit = Math.min(pageSize(given.max_results, 100), limits.registryPageMax);
      const conditions = withoutPrompts(parseFilter(given.filter, registeredModelLanguage));
      if (conditions === undefined) return {};
      const orderBy = parseOrderBy(given.order_by, modelOrderLanguage);
      const byName = orderBy.some(({ field }) => field.key === "name");
      const { models, next } = await storage.read("registry.searchModels", {
        organizationId,
        conditions,
        orderBy: byName ? orderBy : [...orderBy, ascendingBy("name")],
        limit,
        after: placeIn<PageEnd>(given.page_token, isPlace),
      });
      const found = models.length > 0 ? { registered_models: models.map(registeredModelOf) } : {};
      return { ...found, next_page_token: tokenOf(next) };
    },
  ),

  mlflowGetLatestVersions: answered(latestFields, latestVersions),
  mlflowListLatestVersions: answered(latestFields, latestVersions),

  mlflowSetRegisteredModelTag: answered(
    { ...name, key: required(text), value: text },
    async ({ organizationId, by, message: given, served }) => {
      const set = [{ key: given.key, value: given.value ?? "" }];
      checkRegistryTags(set);
      const input = { organizationId, by, model: given.name, number: null, set, removed: null };
      await writeOne(served.storage, "registry.tag", input);
      return {};
    },
  ),

  mlflowDeleteRegisteredModelTag: answered(
    { ...name, key: required(text) },
    async ({ organizationId, by, message: given, served }) => {
      const input = { organizationId, by, model: given.name, number: null };
      await writeOne(served.storage, "registry.tag", { ...input, set: [], removed: given.key });
      return {};
    },
  ),

  mlflowSetRegisteredModelAlias: answered(
    { ...name, alias: required(text), version: required(text) },
    async ({ organizationId, by, message: given, served }) => {
      checkNewAlias(given.alias);
      const to = versionNumber(given.version);
      const input = { organizationId, by, model: given.name, alias: given.alias, to };
      await writeOne(served.storage, "registry.moveAlias", input);
      return {};
    },
  ),

  mlflowDeleteRegisteredModelAlias: answered(
    { ...name, alias: required(text) },
    async ({ organizationId, by, message: given, served }) => {
      const input = { organizationId, by, model: given.name, alias: given.alias, to: null };
      await writeOne(served.storage, "registry.moveAlias", input);
      return {};
    },
  ),

  mlflowGetModelVersionByAlias: answered(
    { ...name, alias: required(text) },
    async ({ organizationId, message: given, served: { storage } }) => {
      const version = { alias: given.alias };
      const asked = { organizationId, model: given.name, version };
      return { model_version: modelVersionOf(await storage.read("registry.version", asked)) };
    },
  ),
});

async function shown(
  { organizationId, served: { storage } }: Pick<MlflowCall<{}>, "organizationId" | "served">,
  model: string,
): Promise<object> {
  const found = await storage.read("registry.model", { organizationId, model });
  return { registered_model: registeredModelOf(found) };
}

async function latestVersions({
  organizationId,
  message: given,
  served: { storage },
}: MlflowCall<typeof latestFields>): Promise<object> {
  const wanted = given.stages.map(stageNamed);
  const { latest } = await storage.read("registry.model", { organizationId, model: given.name });
  const found = latest.filter(({ stage }) => wanted.length === 0 || wanted.includes(stage));
  return { model_versions: found.map(modelVersionOf) };
}

export function ascendingBy(key: string) {
  return { field: { kind: "attribute", key } as const, isAscending: true };
}

/**
 * Clients ask for models that are no prompts, and there are no others; undefined: they ask for
 * prompts.
 */
export function withoutPrompts(conditions: readonly Condition[]): Condition[] | undefined {
  const isOfPrompts = ({ field }: Condition) => field.kind === "tag" && field.key === promptTag;
  for (const { comparator, value } of conditions.filter(isOfPrompts)) {
    const isTrue = String(value).toLowerCase() === "true";
    if (comparator === "=" ? isTrue : !isTrue) return undefined;
  }
  return conditions.filter((condition) => !isOfPrompts(condition));
}

export function pairsOf(
  given: readonly { key: string | undefined; value: string | undefined }[],
): { key: string; value: string }[] {
  return given.map(({ key = "", value = "" }) => ({ key, value }));
}
