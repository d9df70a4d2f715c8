import type { EndpointDefinition } from "./endpoint.ts";
import { limits } from "./limits.ts";
import { artifactPath, versionName } from "./names.ts";
import {
  assignedId,
  closedObject,
  count,
  milliseconds,
  nullable,
  oneOfStrings,
  reference,
  text,
} from "./schema.ts";
import * as Type from "./type.ts";
import { extension, extensionRead, readErrors, writeErrors } from "./v1-endpoint.ts";

/** Inputs and outputs of runs: versions of artifacts, data sets and models of MLflow's clients. */

const nodeFacts = {
  id: Type.String({ description: "Names it in this reply." }),
  kind: oneOfStrings("LineageKind", ["run", "version", "model", "dataset"]),
  name: Type.String({
    description:
      "A run's name in lists, the artifact's path, or the name of the model or data set.",
  }),
  state: oneOfStrings("LineageState", ["present", "trashed", "deleted", "unknown"]),
  experimentId: Type.Optional(assignedId("Of a run.")),
  slug: Type.Optional(Type.String({ description: "Of a run." })),
  status: Type.Optional(Type.String({ description: "Of a run that is present." })),
  version: Type.Optional(Type.String({ description: "Of a version." })),
  bytes: Type.Optional(count("The files of a version that is present.")),
  modelId: Type.Optional(Type.String({ description: "Of a model." })),
  digest: Type.Optional(Type.String({ description: "Of a data set." })),
};

const LineageNode = closedObject("LineageNode", nodeFacts);
export type LineageNode = Type.Static<typeof LineageNode>;

const link = {
  role: Type.String({ description: "What it was to the run, such as `validation`; may be empty." }),
  named: Type.String({ description: "How the run asked for it, such as `@best`; may be empty." }),
  step: nullable(count("The step at which the run wrote it.")),
  atMs: nullable(milliseconds("When it was first used, or when it was written; null: unknown.")),
};

const LineageLink = closedObject("LineageLink", { node: LineageNode, ...link });
export type LineageLink = Type.Static<typeof LineageLink>;

const isBehind = Type.Boolean({
  description:
    "True: after an upgrade, what was recorded before it is still looked through, and links may be missing.",
});

const RunLineage = closedObject("RunLineage", {
  node: LineageNode,
  inputs: Type.Array(LineageLink, {
    description: "What the run used, kind by kind, the newest first.",
  }),
  inputsLeftOut: count("How many more it used."),
  outputs: Type.Array(LineageLink, {
    description: "What the run made, kind by kind, the newest first.",
  }),
  outputsLeftOut: count("How many more it made."),
  isBehind,
});
export type RunLineage = Type.Static<typeof RunLineage>;

const VersionLineage = closedObject("VersionLineage", {
  node: LineageNode,
  maker: nullable(LineageLink),
  users: Type.Array(LineageLink, { description: "Runs that used it, the newest first." }),
  usersLeftOut: count("How many more used it."),
  models: Type.Array(
    closedObject("HoldingModel", {
      model: Type.String({ description: "Name of a registered model that has it." }),
      version: count("The number of its version there."),
      aliases: Type.Array(Type.String(), { description: "Of the model, that point there." }),
    }),
  ),
  isBehind,
});
export type VersionLineage = Type.Static<typeof VersionLineage>;

const LineageGraph = closedObject("LineageGraph", {
  root: Type.String({ description: "The id of the node from which the walk began." }),
  nodes: Type.Array(
    closedObject("LineageGraphNode", {
      ...nodeFacts,
      distance: Type.Integer({
        description: "Links to the first node; below 0: it was made of this one.",
      }),
      leftOut: count("How many of its neighbours on the walk's ways are missing."),
    }),
    { description: "In the order of the walk, level by level." },
  ),
  edges: Type.Array(
    closedObject("LineageEdge", {
      source: Type.String({ description: "The id of what was used, or of the run that wrote." }),
      target: Type.String({
        description: "The id of the run that used it, or of what was written.",
      }),
      ...link,
    }),
    { description: `At most ${limits.lineageEdgesMax}.` },
  ),
  isCut: Type.Boolean({
    description: "True: nodes or links are missing because of their number.",
  }),
  isBehind,
});
export type LineageGraph = Type.Static<typeof LineageGraph>;

const digits = (description: string) =>
  Type.Optional(
    Type.String({ description, pattern: "^[1-9][0-9]{0,5}$", "x-rule": "must be a number" }),
  );

const RecordUseBody = closedObject("RecordUseBody", {
  experimentId: assignedId("The run that used it."),
  artifact: artifactPath("Path of the artifact."),
  version: versionName,
  role: Type.Optional(
    text(0, limits.lineageRoleCharactersMax, "What it is to the run, such as `validation`."),
  ),
  named: Type.Optional(
    text(
      0,
      limits.lineageRoleCharactersMax,
      "How the run asked for it, such as `@best`, where `version` is its name.",
    ),
  ),
});
export type RecordUseBody = Type.Static<typeof RecordUseBody>;

const RecordedUse = closedObject("RecordedUse", {
  artifact: Type.String({ description: "Path of the artifact." }),
  version: Type.String({ description: "The name of the version that was meant." }),
  isNew: Type.Boolean({ description: "False: this use was recorded before." }),
});
export type RecordedUse = Type.Static<typeof RecordedUse>;

export const lineageEndpoints = {
  readRunLineage: {
    ...extensionRead,
    path: "/api/v1/lineage/run",
    summary: "What a run used and made: versions of artifacts, data sets and models.",
    about:
      "A use is recorded once for a run, a version and a role. A version that was deleted since keeps its name here, with " +
      "the state `deleted`.",
    query: Type.Object({ experimentId: reference("The run.") }),
    reply: { kind: "json", status: 200, schema: RunLineage },
    errors: [...readErrors, "not_found"],
  },
  readVersionLineage: {
    ...extensionRead,
    path: "/api/v1/lineage/version",
    summary: "Which run made a version, which used it, and which registered models have it.",
    about: "A version that was deleted is found by its name, as long as a run made or used it.",
    query: Type.Object({ artifact: artifactPath("Path of the artifact."), version: versionName }),
    reply: { kind: "json", status: 200, schema: VersionLineage },
    errors: [...readErrors, "not_found"],
  },
  readLineageGraph: {
    ...extensionRead,
    path: "/api/v1/lineage/graph",
    summary: "Walks from a run or a version to what it was made of, and to what was made of it.",
    about:
      "Upwards only inputs are followed, downwards only outputs, level by level, so that what is near comes first. Name " +
      "either `experimentId`, or `artifact` and `version`.",
    query: Type.Object({
      experimentId: Type.Optional(reference("The run to begin with.")),
      artifact: Type.Optional(artifactPath("Or the path of an artifact.")),
      version: Type.Optional(versionName),
      direction: Type.Optional(oneOfStrings("LineageDirection", ["both", "up", "down"])),
      depth: digits(`Links to the farthest node: at most ${limits.lineageDepthMax}.`),
      nodes: digits(`Nodes of the reply: at most ${limits.lineageNodesMax}.`),
    }),
    reply: { kind: "json", status: 200, schema: LineageGraph },
    errors: [...readErrors, "not_found"],
  },
  recordUse: {
    ...extension,
    method: "POST",
    path: "/api/v1/lineage/uses",
    summary: "Records that a run used a version, once.",
    about:
      "The run gets an annotation of the kind `artifact-used`, as clients write it that record the run. Sent again, it " +
      "records nothing. A run that has " +
      `${limits.usesPerExperimentMax.toLocaleString("en")} uses is refused more.`,
    request: { kind: "json", schema: RecordUseBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: RecordedUse },
    errors: [...writeErrors, "not_found"],
  },
} as const satisfies Record<string, EndpointDefinition>;
