import { limits } from "../limits.ts";
import { closedObject } from "../schema.ts";
import * as Type from "../type.ts";
import { limit } from "./experiments.ts";
import { tool } from "./tool.ts";

const after = Type.Optional(Type.String({ description: "`next` of the previous answer." }));

export const artifactTools = [
  tool({
    name: "list_artifacts",
    title: "List artifacts",
    description:
      "Lists artifacts (checkpoints, data sets, models) and folders of them, with their latest versions and sizes. No addresses of files are given: `lossless pull` fetches them.",
    input: closedObject("ListArtifacts", {
      under: Type.Optional(
        Type.String({
          description: "Beginning of the path: `team/run/` is the content of that folder.",
        }),
      ),
      search: Type.Optional(
        Type.String({
          description: "Paths that contain this, in all folders; `*` stands for anything.",
        }),
      ),
      limit: limit(limits.toolRowsMax, 20),
      after,
    }),
    paged: { lists: ["folders", "artifacts"], limit: "limit", keeps: "first" },
    async run({ ask, baseUrl }, { limit: most = 20, ...query }) {
      const { folders, artifacts, next } = await ask("viewArtifacts", {
        query: { ...query, limit: String(most) },
      });
      return {
        folders,
        artifacts: artifacts.map((one) => ({
          ...one,
          page: artifactPage(baseUrl, one.artifact),
        })),
        ...(next !== null && { next, more: "Call again with `after` set to `next`." }),
      };
    },
  }),
  tool({
    name: "describe_artifact",
    title: "Describe an artifact and its versions",
    description:
      "Describes one artifact: its newest versions with the experiments that wrote them and their metas, aliases such as `best`, uploads under way.",
    input: closedObject("DescribeArtifact", {
      artifact: Type.String({ description: "Its path.", maxLength: limits.pathBytesMax }),
      version: Type.Optional(Type.String({ description: "Only this version." })),
      limit: limit(20, 5),
      after,
    }),
    paged: { lists: ["versions"], limit: "limit", keeps: "first" },
    async run({ ask, baseUrl }, { limit: most = 5, ...query }) {
      const { next, ...found } = await ask("viewArtifact", {
        query: { ...query, limit: String(most), metas: "1" },
      });
      return {
        ...found,
        ...(next !== null && { next, more: "Call again with `after` set to `next`." }),
        page: artifactPage(baseUrl, found.artifact),
      };
    },
  }),
  tool({
    name: "list_models",
    title: "List registered models",
    description: "Lists registered models by name, with their aliases.",
    input: closedObject("ListModels", {
      search: Type.Optional(Type.String({ description: "Names that contain this." })),
      limit: limit(limits.toolRowsMax, 20),
      after,
    }),
    paged: { lists: ["models"], limit: "limit", keeps: "first" },
    async run({ ask, baseUrl }, { limit: most = 20, ...search }) {
      const query = { ...search, limit: String(most) };
      const { models, next } = await ask("listModels", { query });
      return {
        models,
        ...(next !== null && { next, more: "Call again with `after` set to `next`." }),
        page: `${baseUrl}/models`,
      };
    },
  }),
  tool({
    name: "describe_model",
    title: "Describe a registered model",
    description:
      "Describes one registered model: its versions, what each is made of, aliases and tags.",
    input: closedObject("DescribeModel", {
      model: Type.String({ description: "Its name.", maxLength: limits.modelNameCharactersMax }),
      before: Type.Optional(Type.String({ description: "`next` of the previous answer." })),
      limit: limit(limits.toolRowsMax, 20),
    }),
    paged: { lists: ["versions"], limit: "limit", keeps: "first" },
    async run({ ask, baseUrl }, { limit: most = 20, ...named }) {
      const query = { ...named, limit: String(most) };
      const { next, ...found } = await ask("readModel", { query });
      return {
        ...found,
        ...(next !== null && { next, more: "Call again with `before` set to `next`." }),
        page: `${baseUrl}/model?name=${encodeURIComponent(named.model)}`,
      };
    },
  }),
];

function artifactPage(baseUrl: string, artifact: string): string {
  return `${baseUrl}/artifact?name=${encodeURIComponent(artifact)}`;
}
