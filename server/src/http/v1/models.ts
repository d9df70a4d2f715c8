import { limits } from "@lossless/protocol/limits";
import { aliasMark, latestVersion } from "@lossless/protocol/names";
import type { PageEnd } from "../../experiments/mlflow/order.ts";
import { ServiceError } from "../../ground/errors.ts";
import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

/** Registered models. */
export const modelRegistry = endpointRoutes({
  async listModels({ caller: { organizationId }, query, served }) {
    const { search = "", after = "", limit } = query;
    const most = limit === undefined ? limits.modelsListedMax : Number(limit);
    const input = { organizationId, search, after: placeIn(after), limit: most };
    const { models, next } = await served.storage.read("registry.list", input);
    return { models, next: next === undefined ? null : JSON.stringify(next.values) };
  },

  readModel({ caller: { organizationId }, query: { model, before, limit }, served }) {
    const most = limit === undefined ? limits.modelVersionsListedMax : Number(limit);
    const from = before === undefined ? null : Number(before);
    const input = { organizationId, model, before: from, limit: most };
    return served.storage.read("registry.view", input);
  },

  async changeModel({ caller: { organizationId, by }, query: { model }, body, served }) {
    const input = { organizationId, by, model, description: body.description };
    await writeOne(served.storage, "registry.change", input);
  },

  readModelVersion({ caller: { organizationId }, query: { model, version }, served }) {
    const input = { organizationId, model, version: versionIn(version) };
    return served.storage.read("registry.viewVersion", input);
  },

  async linkVersion({ caller: { organizationId, by }, query: { model }, body, served }) {
    const { artifact, version, description = "" } = body;
    const input = { organizationId, by, model, artifact, version, description };
    const { number } = await writeOne(served.storage, "registry.link", input);
    const asked = { organizationId, model, version: { number } };
    return served.storage.read("registry.viewVersion", asked);
  },

  async setModelAlias({ caller: { organizationId, by }, query: { model, alias }, body, served }) {
    const { version: to, expected } = body;
    const condition = typeof expected === "number" ? String(expected) : expected;
    const input = { organizationId, by, model, alias, to, expected: condition };
    const { previous } = await writeOne(served.storage, "registry.moveAlias", input);
    return { previous: previous === null ? null : Number(previous) };
  },

  async removeModelAlias({ caller: { organizationId, by }, query, served }) {
    const { model, alias, expected } = query;
    const input = { organizationId, by, model, alias, to: null, expected };
    const { previous } = await writeOne(served.storage, "registry.moveAlias", input);
    if (previous === null) throw new ServiceError("not_found", `The model has no alias ${alias}.`);
  },

  listModelAliasChanges({ caller: { organizationId }, query: { model, before }, served }) {
    const input = { organizationId, model, before: before === undefined ? null : Number(before) };
    return served.storage.read("registry.aliasHistory", input);
  },
});

function versionIn(text: string): { number: number } | { alias: string } {
  if (text === latestVersion) return { alias: latestVersion };
  if (text.startsWith(aliasMark)) return { alias: text.slice(aliasMark.length) };
  return { number: /^\d{1,15}$/.test(text) ? Number(text) : 0 };
}

function placeIn(after: string): PageEnd | undefined {
  if (after === "") return undefined;
  try {
    const values: unknown = JSON.parse(after);
    if (Array.isArray(values)) return { id: "", values: values as string[] };
  } catch {
    // Answered below.
  }
  throw new ServiceError("bad_request", "after must be the next of a page before.");
}
