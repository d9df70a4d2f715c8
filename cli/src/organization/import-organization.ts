import { join } from "node:path";
import { LosslessError } from "@lossless/client";
import { inParallel } from "@lossless/client/in-parallel";
import { CommandError } from "../command.ts";
import { explained } from "../explained.ts";
import { importArtifacts } from "./import-artifacts.ts";
import { importExperiment, type ImportTarget } from "./import-experiment.ts";
import { adopt, parentOf } from "./import-run.ts";
import { importModels } from "./registered-models.ts";
import { importSaved } from "./import-saved.ts";
import {
  experimentDirectory,
  type ExportedExperiment,
  type Manifest,
  names,
  readJson,
  readManifest,
  sha256Of,
} from "./layout.ts";

export interface ImportResult {
  experiments: number;
  /** Experiments among them that an earlier import completed. */
  known: number;
  points: number;
  annotations: number;
  lines: number;
  versions: number;
  savedViews: number;
  reports: number;
  workspaces: number;
  problems: string[];
  /** Sentences of the export about what no import can restore. */
  leftOut: string[];
}

interface Telling {
  parallel: number;
  note(line: string): void;
}

/** Imports an exported organization into that of the credential. */
export async function importOrganization(
  target: ImportTarget,
  directory: string,
  telling: Telling,
): Promise<ImportResult> {
  const { client } = target;
  const manifest = await readManifest(directory);
  if (manifest === undefined)
    throw new CommandError(`${directory} is not an exported organization`);
  if (!manifest.isComplete)
    throw new CommandError(`the export in ${directory} is incomplete: run it again first`);
  const folderIds = await makeFolders(target, manifest);
  const result: ImportResult = {
    experiments: 0,
    known: 0,
    points: 0,
    annotations: 0,
    lines: 0,
    versions: 0,
    savedViews: 0,
    reports: 0,
    workspaces: 0,
    problems: [],
    leftOut: manifest.leftOut,
  };
  const whole = { directory, manifest, folderIds, result, telling };
  const ids = await importExperiments(target, whole);
  const note = (line: string) => telling.note(line);
  const { added, problems } = await importArtifacts(client, directory, manifest, note);
  result.versions = added;
  result.problems.push(...problems);
  result.problems.push(...(await importModels(client, manifest.models ?? [])));
  const named = new Map([...ids, ...foldersHere(manifest, folderIds)]);
  const saved = await importSaved(client, directory, manifest, named);
  const { problems: left, ...counts } = saved;
  Object.assign(result, counts);
  result.problems.push(...left);
  return result;
}

/** Returns ids of the folders here, by path. */
async function makeFolders(
  { client, mlflow }: ImportTarget,
  { folders }: Manifest,
): Promise<Map<string, string | null>> {
  const ids = new Map<string, string | null>();
  for (const { path, tags } of folders) {
    const folderId = await client.folders.ensure(path);
    ids.set(JSON.stringify(path), folderId);
    for (const tag of tags)
      await mlflow.post("experiments/set-experiment-tag", {
        experiment_id: folderId ?? "0",
        ...tag,
      });
  }
  return ids;
}

/** Returns ids of the folders here, by their exported ids. */
function foldersHere(
  { folders }: Manifest,
  folderIds: ReadonlyMap<string, string | null>,
): [string, string][] {
  return folders.flatMap(({ path, folderId: there }) => {
    const here = folderIds.get(JSON.stringify(path));
    return there === undefined || here == null ? [] : [[there, here] as [string, string]];
  });
}

interface Whole {
  directory: string;
  manifest: Manifest;
  folderIds: ReadonlyMap<string, string | null>;
  result: ImportResult;
  telling: Telling;
}

/**
 * Imports experiments, oldest first to keep their order. Returns their ids here, by their exported
 * ids.
 */
async function importExperiments(
  target: ImportTarget,
  { directory, manifest, folderIds, result, telling }: Whole,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const children: [child: string, parent: string][] = [];
  const listed = manifest.experiments.toSorted((one, other) =>
    one.experimentId < other.experimentId ? -1 : 1,
  );
  await inParallel(telling.parallel, listed, async ({ experimentId, slug, sha256 }) => {
    const own = experimentDirectory(directory, experimentId);
    try {
      const exported = await readExperiment(own, sha256);
      const folderId = folderIds.get(JSON.stringify(exported.folder)) ?? null;
      const imported = await importExperiment(target, exported, { directory: own, folderId });
      ids.set(experimentId, imported.experimentId);
      const parent = parentOf(exported);
      if (parent !== undefined && !imported.isKnown) children.push([imported.experimentId, parent]);
      result.experiments++;
      result.known += imported.isKnown ? 1 : 0;
      result.points += imported.stored;
      result.annotations += imported.annotations;
      result.lines += imported.lines;
      result.problems.push(...imported.problems.map((problem) => `${slug}: ${problem}`));
      if (!imported.isKnown) telling.note(slug);
    } catch (error) {
      if (!(error instanceof LosslessError || error instanceof CommandError)) throw error;
      result.problems.push(`${slug}: ${explained(error)}`);
    }
  });
  for (const [child, parent] of children) {
    const here = ids.get(parent);
    if (here !== undefined) await adopt(target.mlflow, child, here);
  }
  return ids;
}

async function readExperiment(directory: string, sha256: string): Promise<ExportedExperiment> {
  const file = join(directory, names.experiment);
  const exported = await readJson<ExportedExperiment>(file);
  if (exported === undefined) throw new CommandError(`${file} is missing`);
  if ((await sha256Of(file)) === sha256) return exported;
  throw new CommandError(`${file} differs from the export: its checksum is wrong`);
}
