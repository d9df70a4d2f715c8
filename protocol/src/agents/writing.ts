import type { FoldersReply } from "../fields.ts";
import { limits } from "../limits.ts";
import { closedObject } from "../schema.ts";
import * as Type from "../type.ts";
import { experiment, experimentPage, rowOf } from "./experiments.ts";
import { type Asking, tool, ToolError } from "./tool.ts";

const tags = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: limits.toolTagCharactersMax }), {
      description,
      maxItems: limits.toolTagsMax,
    }),
  );

/** Tools that change something, for agents that are allowed to. */
export const writingTools = [
  tool({
    name: "annotate_experiment",
    title: "Write a note on an experiment",
    description:
      "Adds a note to an experiment, optionally at a step, where charts show it. Notes cannot be taken back.",
    writes: true,
    input: closedObject("AnnotateExperiment", {
      experiment,
      text: Type.String({ minLength: 1, maxLength: limits.annotationCharactersMax }),
      step: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.stepMax })),
    }),
    async run(asking, { experiment: named, text, step }) {
      const { experimentId, slug } = await rowOf(asking, named);
      const messageId = crypto.randomUUID();
      const at = step === undefined ? {} : { step };
      const body = { experimentId, messageId, annotation: text, ...at };
      const { annotationId } = await asking.ask("addNote", { body });
      return { experiment: slug, annotationId, page: experimentPage(asking.baseUrl, experimentId) };
    },
  }),
  tool({
    name: "tag_experiment",
    title: "Tag an experiment",
    description: "Adds tags to an experiment and removes others; all others stay.",
    writes: true,
    input: closedObject("TagExperiment", {
      experiment,
      add: tags("Tags to add."),
      remove: tags("Tags to remove."),
    }),
    async run(asking, { experiment: named, add = [], remove = [] }) {
      const { experimentId, slug } = await rowOf(asking, named);
      const before = await tagsOf(asking, experimentId);
      const kept = (before ?? []).filter((one) => !remove.includes(one));
      const after = [...new Set([...kept, ...add])];
      const edit = { path: ["_tags"], ...(before !== undefined && { before }), after };
      await asking.ask("editExperiment", { body: { experimentId, meta: [edit] } });
      const page = experimentPage(asking.baseUrl, experimentId);
      return { experiment: slug, tags: after, page };
    },
  }),
  tool({
    name: "move_experiment",
    title: "Move an experiment to a folder",
    description: "Moves an experiment to an existing folder, or to the top with an empty path.",
    writes: true,
    input: closedObject("MoveExperiment", {
      experiment,
      folder: Type.String({
        description: "Path of the folder: `team/vision`.",
        maxLength: limits.queryCharactersMax,
      }),
    }),
    async run(asking, { experiment: named, folder }) {
      const { experimentId, slug } = await rowOf(asking, named);
      await asking.move(experimentId, await folderAt(asking, folder));
      return { experiment: slug, folder, page: experimentPage(asking.baseUrl, experimentId) };
    },
  }),
];

/** Returns the tags of an experiment as its meta has them; undefined: it has none. */
async function tagsOf({ ask }: Asking, experimentId: string): Promise<string[] | undefined> {
  const { keys } = await ask("readDifference", {
    body: {
      experimentIds: [experimentId],
      equalKeys: true,
      hiddenKeys: true,
      text: "meta._tags",
      metricsMax: 0,
    },
  });
  const value = keys.find(({ field }) => field === "meta._tags")?.values[0];
  if (value === undefined) return undefined;
  const list = value.kind === "list" && !value.isCut ? (JSON.parse(value.text) as unknown) : null;
  if (Array.isArray(list) && list.every((one) => typeof one === "string")) return list;
  throw new ToolError("The tags of this experiment are too many, or no list of texts.");
}

type Folder = FoldersReply["folders"][number];

async function folderAt({ ask }: Asking, path: string): Promise<string | null> {
  const { folders } = await ask("readFolders", {});
  let folderId: string | null = null;
  for (const name of path.split("/").filter((part) => part !== "")) {
    const parent: string | null = folderId;
    const found: Folder | undefined = folders.find(
      (one) => one.parentFolderId === parent && one.name === name,
    );
    if (found === undefined)
      throw new ToolError(`There is no folder ${JSON.stringify(path)}: nothing was moved.`);
    ({ folderId } = found);
  }
  return folderId;
}
