import { limits } from "@lossless/protocol/limits";
import type { VersionContent } from "../../registry/model-versions.ts";
import { isActive } from "../../registry/stages.ts";
import { isWithin } from "../../experiments/mlflow/allowed-locations.ts";
import type { PageEnd } from "../../experiments/mlflow/order.ts";
import { writeOne } from "../../storage/storage.ts";
import { parseFilter } from "./filter/filter.ts";
import { parseOrderBy } from "./filter/order-by.ts";
import { modelVersionLanguage, versionOrderLanguage } from "./filter/registry-language.ts";
import { flag, integer, invalid, list, required, text } from "./message.ts";
import { answered, type MlflowCall, mlflow, placeIn, tokenOf } from "./mlflow.ts";
import { ascendingBy, pairsOf, registryPairs, withoutPrompts } from "./registered-models.ts";
import { registeredIn } from "./registered-source.ts";
import { modelVersionOf } from "./registry-reply.ts";
import {
  checkDescription,
  checkModelName,
  checkRegistryTags,
  checkVersionTexts,
  stageNamed,
  versionNumber,
} from "./registry-words.ts";
import { isPlace, pageSize } from "./search-page.ts";

const oneVersion = { name: required(text), version: required(text) };
type Asked = Pick<MlflowCall<typeof oneVersion>, "organizationId" | "by" | "message" | "served">;

/** Versions of MLflow's registered models. */
export const modelVersions = mlflow({
  mlflowCreateModelVersion: answered(
    {
      name: required(text),
      source: required(text),
      run_id: text,
      tags: registryPairs,
      run_link: text,
      description: text,
      model_id: text,
    },
    async ({ organizationId, by, message: given, served: { storage } }) => {
      checkModelName(given.name);
      const tags = pairsOf(given.tags);
      checkRegistryTags(tags);
      const { description = "" } = given;
      checkVersionTexts({ description, source: given.source });
      const content = await contentOf(organizationId, given, storage);
      const input = { organizationId, by, model: given.name, content, description, tags };
      const { number } = await writeOne(storage, "registry.addVersion", input);
      const asked = { organizationId, model: given.name, version: { number } };
      return { model_version: modelVersionOf(await storage.read("registry.version", asked)) };
    },
  ),

  mlflowGetModelVersion: answered(oneVersion, shown),

  mlflowUpdateModelVersion: answered({ ...oneVersion, description: text }, async (asked) => {
    const { description = "" } = asked.message;
    checkDescription(description);
    await writeOne(asked.served.storage, "registry.changeVersion", {
      ...named(asked),
      description,
    });
    return shown(asked);
  }),

  mlflowTransitionStage: answered(
    { ...oneVersion, stage: required(text), archive_existing_versions: flag },
    async (asked) => {
      const { stage: word, archive_existing_versions: archives = false } = asked.message;
      const stage = stageNamed(word);
      if (archives && !isActive(stage)) {
        throw invalid(
          "Model version transition cannot archive existing model versions because " +
            `'${word}' is not an Active stage. Valid stages are ['Staging', 'Production']`,
        );
      }
      const input = { ...named(asked), stage, archivesOthers: archives };
      await writeOne(asked.served.storage, "registry.moveStage", input);
      return shown(asked);
    },
  ),

  mlflowDeleteModelVersion: answered(oneVersion, async (asked) => {
    await writeOne(asked.served.storage, "registry.deleteVersion", named(asked));
    return {};
  }),

  mlflowSearchModelVersions: answered(
    { filter: text, max_results: integer, order_by: list(text), page_token: text },
    async ({ organizationId, message: given, served: { storage } }) => {
      const most = given.max_results;
      const asked = most !== undefined && most > 50_000n && most <= 200_000n ? 50_000n : most;
      const limit = Math.min(pageSize(asked, 10_000), limits.registryPageMax);
      const conditions = withoutPrompts(parseFilter(given.filter, modelVersionLanguage));
      if (conditions === undefined) return {};
      const orderBy = orderOf(given.order_by);
      const after = placeIn<PageEnd>(given.page_token, isPlace);
      const search = { organizationId, conditions, orderBy, limit, after };
      const { versions, next } = await storage.read("registry.searchVersions", search);
      const found = versions.length > 0 ? { model_versions: versions.map(modelVersionOf) } : {};
      return { ...found, next_page_token: tokenOf(next) };
    },
  ),

  mlflowGetDownloadUri: answered(oneVersion, async (asked) => {
    const { organizationId, model, number } = named(asked);
    const input = { organizationId, model, number };
    return { artifact_uri: await asked.served.storage.read("registry.downloadUri", input) };
  }),

  mlflowSetModelVersionTag: answered(
    { ...oneVersion, key: required(text), value: text },
    async (asked) => {
      const { key, value = "" } = asked.message;
      const set = [{ key, value }];
      checkRegistryTags(set);
      const input = { ...named(asked), set, removed: null };
      await writeOne(asked.served.storage, "registry.tag", input);
      return {};
    },
  ),

  mlflowDeleteModelVersionTag: answered({ ...oneVersion, key: required(text) }, async (asked) => {
    const input = { ...named(asked), set: [], removed: asked.message.key };
    await writeOne(asked.served.storage, "registry.tag", input);
    return {};
  }),
});

function named({ organizationId, by, message: { name: model, version } }: Asked) {
  return { organizationId, by, model, number: versionNumber(version) };
}

async function shown(asked: Asked): Promise<object> {
  const { organizationId, model, number } = named(asked);
  const input = { organizationId, model, version: { number } };
  const found = await asked.served.storage.read("registry.version", input);
  return { model_version: modelVersionOf(found) };
}

interface GivenSource {
  source: string;
  run_id: string | undefined;
  model_id: string | undefined;
  run_link: string | undefined;
}

/**
 * Returns what a source names: a version of a registered model by its number, with what it comes
 * down to, or files. Other places than this service's have to be allowed, since clients
 * that load the model read there.
 */
async function contentOf(
  organizationId: string,
  { source, run_id: run = "", model_id: loggedModel = "", run_link: link = "" }: GivenSource,
  storage: Asked["served"]["storage"],
): Promise<VersionContent> {
  const runLink = link || null;
  const lineage = { run: run || null, loggedModel: loggedModel || null };
  const registered = registeredIn(source);
  if (registered !== undefined) {
    const found = await storage.read("registry.version", { organizationId, ...registered });
    if (found.artifact !== null) {
      const { artifact, artifactVersion: own } = found;
      return { kind: "artifact" as const, artifact, version: own! };
    }
    return {
      kind: "files" as const,
      source: `models:/${registered.model}/${found.number}`,
      storage: found.storage,
      runLink,
      run: lineage.run ?? found.run,
      loggedModel: lineage.loggedModel ?? found.loggedModel,
    };
  }
  const isOwn =
    /^(?:runs:\/[^/]|models:\/+m-[0-9a-f]{32}\/?$|mlflow-artifacts:\/)/.test(source) &&
    !source.split("/").includes("..");
  if (!isOwn) {
    const { allowed } = await storage.read("run.allowedLocations", { organizationId });
    if (!isWithin(source, allowed)) {
      throw invalid(
        `Invalid model version source: '${source}'. It has to be of a run (runs:/…), a logged model (models:/m-…) or a ` +
          "version of a registered model (models:/name/1); or the organization allows its place (mlflow-locations).",
      );
    }
  }
  return { kind: "files" as const, source, storage: source, runLink, ...lineage };
}

function orderOf(clauses: readonly string[]) {
  const newest = ["last_updated_timestamp DESC", "name ASC", "version_number DESC"];
  const orderBy = parseOrderBy(clauses.length > 0 ? clauses : newest, versionOrderLanguage);
  const has = (key: string) => orderBy.some(({ field }) => field.key === key);
  return [
    ...orderBy,
    ...(has("name") ? [] : [ascendingBy("name")]),
    ...(has("version_number") ? [] : [{ ...ascendingBy("version_number"), isAscending: false }]),
  ];
}
