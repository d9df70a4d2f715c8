import type { EndpointDefinition } from "./endpoint.ts";
import { AliasHistory } from "./aliases.ts";
import { limitText } from "./artifact-views.ts";
import { limits } from "./limits.ts";
import { aliasName, artifactPath, knownAliasName, versionName } from "./names.ts";
import { assignedId, closedObject, count, milliseconds, nullable, text } from "./schema.ts";
import * as Type from "./type.ts";
import { extension, extensionRead, readErrors, removal, writeErrors } from "./v1-endpoint.ts";

/** Registered models: names for numbered versions of artifacts, and of files of runs. */

const ModelAlias = closedObject("ModelAlias", {
  alias: Type.String({ description: "Its name." }),
  version: count("The version that it points to."),
});

const modelFacts = {
  model: Type.String({ description: "Its name." }),
  description: Type.String(),
  latest: nullable(count("The highest version; null: there is none.")),
  aliases: Type.Array(ModelAlias, { description: "By name." }),
  createdAtMs: milliseconds("When it was registered."),
  changedAtMs: milliseconds("When it, its versions or stages were changed last."),
};

const ModelEntry = closedObject("ModelEntry", modelFacts);
export type ModelEntry = Type.Static<typeof ModelEntry>;

const ModelTag = closedObject("ModelTag", { key: Type.String(), value: Type.String() });

export const ViewedModelVersion = closedObject("ViewedModelVersion", {
  model: Type.String({ description: "The model." }),
  version: count("Its number."),
  artifact: nullable(Type.String({ description: "The artifact, of a version of which it is." })),
  artifactVersion: nullable(Type.String({ description: "That version." })),
  source: Type.String({ description: "Otherwise the address of its files, of MLflow's form." }),
  experiment: nullable(
    closedObject("ModelExperiment", {
      experimentId: assignedId("The experiment from which it is."),
      slug: Type.String(),
      name: nullable(Type.String({ description: "Its name in lists, if it is not the slug." })),
    }),
  ),
  description: Type.String(),
  aliases: Type.Array(Type.String(), { description: "Those that point to it." }),
  tags: Type.Array(ModelTag),
  createdAtMs: milliseconds("When it was added."),
  createdBy: Type.String({ description: "Who added it." }),
});
export type ViewedModelVersion = Type.Static<typeof ViewedModelVersion>;

const ModelList = closedObject("ModelList", {
  models: Type.Array(ModelEntry),
  next: nullable(Type.String({ description: "Pass it as `after`; null: this was the last page." })),
});
export type ModelList = Type.Static<typeof ModelList>;

const ViewedModel = closedObject("ViewedModel", {
  ...modelFacts,
  tags: Type.Array(ModelTag),
  versions: Type.Array(ViewedModelVersion, { description: "The highest first." }),
  next: nullable(Type.String({ description: "Pass it as `before`; null: there are no others." })),
});
export type ViewedModel = Type.Static<typeof ViewedModel>;

const LinkVersionBody = closedObject("LinkVersionBody", {
  artifact: artifactPath("Path of the artifact."),
  version: versionName,
  description: Type.Optional(
    text(0, limits.modelDescriptionCharactersMax, "Of this version of the model."),
  ),
});
export type LinkVersionBody = Type.Static<typeof LinkVersionBody>;

const ChangeModelBody = closedObject("ChangeModelBody", {
  description: text(0, limits.modelDescriptionCharactersMax, "The new description."),
});
export type ChangeModelBody = Type.Static<typeof ChangeModelBody>;

const number = (description: string) =>
  Type.Integer({ description, minimum: 1, maximum: limits.stepMax });

const MoveModelAliasBody = closedObject("MoveModelAliasBody", {
  version: number("The version to point to."),
  expected: Type.Optional(
    nullable(number("Move it only from this version; null: only if there is no such alias.")),
  ),
});
export type MoveModelAliasBody = Type.Static<typeof MoveModelAliasBody>;

const MovedModelAlias = closedObject("MovedModelAlias", {
  previous: nullable(count("The version that it pointed to before; null: it is new.")),
});
export type MovedModelAlias = Type.Static<typeof MovedModelAlias>;

/** Name of a model, as MLflow's clients take it. */
const model = Type.String({
  description: "Name of the registered model.",
  minLength: 1,
  maxLength: limits.modelNameCharactersMax,
  pattern:
    "^[^/:\\x00-\\x1f\\x7f-\\x9f]*[^\\s/:\\x00-\\x1f\\x7f-\\x9f][^/:\\x00-\\x1f\\x7f-\\x9f]*$",
  "x-rule": "must have no slashes, colons and control characters, and not only spaces",
});
const numberText = (description: string) =>
  Type.String({ description, pattern: "^[1-9][0-9]{0,15}$", "x-rule": "must be a number" });
const path = "/api/v1/models";

/** Registered models, for pages and programs; MLflow's clients have an interface of their own. */
export const registryEndpoints = {
  listModels: {
    ...extensionRead,
    path,
    summary: "Registered models by name, by pages.",
    query: Type.Object({
      search: Type.Optional(
        Type.String({
          description: "Only names that contain this, A to Z without regard to case.",
          maxLength: limits.patternCharactersMax,
          pattern: "^[\\s\\S]*$",
        }),
      ),
      after: Type.Optional(
        Type.String({
          description: "`next` of the page before.",
          maxLength: limits.loggedCursorCharactersMax,
          pattern: "^[\\s\\S]*$",
        }),
      ),
      limit: limitText(limits.modelsListedMax, limits.modelsListedMax),
    }),
    reply: { kind: "json", status: 200, schema: ModelList },
  },
  readModel: {
    ...extensionRead,
    path: `${path}/model`,
    summary: "A registered model with its aliases, tags and versions.",
    query: Type.Object({
      model,
      before: Type.Optional(numberText("`next` of the page before: versions below this one.")),
      limit: limitText(limits.modelVersionsListedMax, limits.modelVersionsListedMax),
    }),
    reply: { kind: "json", status: 200, schema: ViewedModel },
    errors: [...readErrors, "not_found"],
  },
  changeModel: {
    ...extension,
    method: "PATCH",
    path: `${path}/model`,
    summary: "Sets the description of a registered model.",
    query: Type.Object({ model }),
    request: { kind: "json", schema: ChangeModelBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "empty", status: 204 },
    errors: [...writeErrors, "not_found"],
  },
  readModelVersion: {
    ...extensionRead,
    path: `${path}/version`,
    summary: "A version of a registered model, by its number, `latest`, or an alias as `@best`.",
    query: Type.Object({ model, version: versionName }),
    reply: { kind: "json", status: 200, schema: ViewedModelVersion },
    errors: [...readErrors, "not_found"],
  },
  linkVersion: {
    ...extension,
    method: "POST",
    path: `${path}/version`,
    summary: "Adds a version of an artifact to a registered model, which is made if there is none.",
    about: "If it is a version of the model already, that one is the answer: safe to repeat.",
    query: Type.Object({ model }),
    request: { kind: "json", schema: LinkVersionBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: ViewedModelVersion },
    errors: [...writeErrors, "not_found", "conflict"],
  },
  setModelAlias: {
    ...extension,
    method: "PUT",
    path: `${path}/alias`,
    summary: "Sets or moves an alias to a version of a registered model.",
    query: Type.Object({ model, alias: aliasName }),
    request: { kind: "json", schema: MoveModelAliasBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: MovedModelAlias },
    errors: [...writeErrors, "not_found", "conflict"],
  },
  removeModelAlias: {
    ...extension,
    ...removal,
    path: `${path}/alias`,
    summary: "Removes an alias of a registered model; its version stays.",
    query: Type.Object({
      model,
      alias: knownAliasName,
      expected: Type.Optional(numberText("Remove it only from this version.")),
    }),
    errors: [...writeErrors, "not_found", "conflict"],
  },
  listModelAliasChanges: {
    ...extensionRead,
    path: `${path}/alias-history`,
    summary: "What aliases of a registered model pointed to, since when and by whom, newest first.",
    query: Type.Object({ model, before: Type.Optional(numberText("`next` of the page before.")) }),
    reply: { kind: "json", status: 200, schema: AliasHistory },
    errors: [...readErrors, "not_found"],
  },
} as const satisfies Record<string, EndpointDefinition>;
