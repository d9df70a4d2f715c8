import { exportPictures } from "./report-pictures.ts";
import { exportModels, modelsLeftOut } from "./registered-models.ts";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type FolderNode, LosslessError, type Report } from "@lossless/client";
import { inParallel } from "@lossless/client/in-parallel";
import { CommandError } from "../command.ts";
import { explained } from "../explained.ts";
import { listIn, textIn } from "../import/mlflow/mlflow-server.ts";
import { countedText } from "../output.ts";
import { experimentsBelow, type PlacedExperiment } from "../tree-selection.ts";
import { exportArtifacts } from "./export-artifacts.ts";
import { exportExperiment, type ExportSource } from "./export-experiment.ts";
import {
  experimentDirectory,
  type ExportedExperiment,
  type ExportedFolder,
  format,
  type Manifest,
  names,
  readJson,
  readManifest,
  sha256Of,
  writeJson,
} from "./layout.ts";

export interface ExportResult {
  counts: Manifest["counts"];
  /** Written by this export; the others were unchanged. */
  experimentsWritten: number;
  versionsWritten: number;
  /** Sentences about items that could not be read this time. */
  problems: string[];
  /** Sentences about items that no import can restore. */
  leftOut: string[];
}

interface Telling {
  parallel: number;
  note(line: string): void;
}

/** Experiments in one request: the series of all of them must be a small reply. */
const revisionsAtOnce = 50;

/** Exports everything that members of an organization see; a repetition writes only what is new. */
export async function exportOrganization(
  source: ExportSource,
  directory: string,
  telling: Telling,
): Promise<ExportResult> {
  const { client, partials } = source;
  const { organization } = await client.authStatus();
  await checkDirectory(directory, organization.id);
  const tree = await client.folders.tree();
  const counts = { experiments: 0, points: 0, annotations: 0, lines: 0, runFiles: 0, versions: 0 };
  const manifest: Manifest = {
    ...format,
    isComplete: false,
    organization,
    exportedAtMs: Date.now(),
    folders: [],
    experiments: [],
    artifacts: [],
    counts,
    savedViews: [],
    reports: [],
    leftOut: [],
  };
  const writeManifest = () => writeJson(join(directory, names.manifest), manifest, partials);
  await writeManifest();
  const { folders, models } = await foldersOf(source, tree.folders);
  manifest.folders = folders;
  if (models > 0)
    manifest.leftOut.push(`${countedText(models, "logged model")} of MLflow's clients left out`);
  const result: ExportResult = {
    counts,
    experimentsWritten: 0,
    versionsWritten: 0,
    problems: [],
    leftOut: manifest.leftOut,
  };
  const experiments = experimentsBelow(tree, []);
  for (let at = 0; at < experiments.length; at += revisionsAtOnce) {
    const some = experiments.slice(at, at + revisionsAtOnce);
    await exportSome(source, some, { directory, manifest, result, telling });
  }
  const note = (line: string) => telling.note(line);
  const { artifacts, added, problems } = await exportArtifacts(source, directory, note);
  result.versionsWritten = added;
  result.problems.push(...problems);
  manifest.artifacts = artifacts;
  counts.versions = artifacts.reduce((sum, { versions }) => sum + versions.length, 0);
  manifest.models = await exportModels(client);
  manifest.leftOut.push(...modelsLeftOut(manifest.models));
  manifest.savedViews = await client.savedViews.list();
  manifest.reports = await reportsOf(source);
  manifest.leftOut.push(...(await exportPictures(source, directory, manifest.reports)));
  manifest.workspaces = await client.workspaces.list();
  manifest.isComplete = result.problems.length === 0;
  await writeManifest();
  return result;
}

interface Whole {
  directory: string;
  manifest: Manifest;
  result: ExportResult;
  telling: Telling;
}

async function exportSome(
  source: ExportSource,
  experiments: readonly PlacedExperiment[],
  { directory, manifest, result, telling }: Whole,
): Promise<void> {
  const ids = experiments.map(({ experimentId }) => experimentId);
  const found = await source.client.revisions(ids);
  const revisions = new Map(found.experiments.map((one) => [one.experimentId, one.revision]));
  await inParallel(telling.parallel, experiments, async ({ experimentId, slug, folder }) => {
    const revision = revisions.get(experimentId);
    // Deleted since the tree was read.
    if (revision === undefined) return;
    const own = experimentDirectory(directory, experimentId);
    try {
      const file = join(own, names.experiment);
      const known = await readJson<ExportedExperiment>(file);
      const isKnown = known?.revision === revision && known.folder.join("/") === folder.join("/");
      const place = { experimentId, folder, revision };
      const exported = isKnown ? known : await exportExperiment(source, place, own);
      if (!isKnown) result.experimentsWritten++;
      manifest.experiments.push({ experimentId, slug, sha256: await sha256Of(file) });
      count(result.counts, exported);
      result.leftOut.push(...exported.leftOut.map((what) => `${slug}: ${what}`));
      if (!isKnown) telling.note(slug);
    } catch (error) {
      if (!(error instanceof LosslessError || error instanceof CommandError)) throw error;
      result.problems.push(`${slug}: ${explained(error)}`);
    }
  });
}

function count(counts: Manifest["counts"], exported: ExportedExperiment): void {
  counts.experiments++;
  counts.points += exported.points;
  counts.annotations += exported.annotations;
  counts.lines = (counts.lines ?? 0) + (exported.console?.lines ?? 0);
  const isFile = ({ path }: { path: string }) => path.startsWith(names.files);
  counts.runFiles += exported.files.filter(isFile).length;
}

/** Accepts an export of this organization, or an empty directory: its content is replaced. */
async function checkDirectory(directory: string, organizationId: string): Promise<void> {
  if (!existsSync(directory)) return;
  const known = await readManifest(directory);
  if (known === undefined && readdirSync(directory).length > 0)
    throw new CommandError(`${directory} is not empty, and is not an exported organization`);
  if (known !== undefined && known.organization.id !== organizationId)
    throw new CommandError(`${directory} holds the organization ${known.organization.name}`);
}

/**
 * Folders with the data that MLflow's clients wrote at them, and the number of their logged models.
 */
async function foldersOf(
  { mlflow }: ExportSource,
  tree: readonly FolderNode[],
): Promise<{ folders: ExportedFolder[]; models: number }> {
  const tags = new Map<string, ExportedFolder["tags"]>();
  const folders: ExportedFolder[] = [];
  const search = { max_results: 1_000, view_type: "ALL" };
  let models = 0;
  for await (const one of mlflow.search("experiments/search", search, "experiments")) {
    const id = textIn(one, "experiment_id");
    const own = listIn(one, "tags").map((tag) => ({
      key: textIn(tag, "key"),
      value: textIn(tag, "value"),
    }));
    if (own.length > 0) tags.set(id, own);
    const inside = { experiment_ids: [id] };
    for await (const _ of mlflow.search("logged-models/search", inside, "models")) models++;
  }
  folders.push({ path: [], tags: tags.get("0") ?? [] });
  const add = (some: readonly FolderNode[], above: string[]): void => {
    for (const { folderId, name, folders: inner } of some) {
      const path = [...above, name];
      folders.push({ path, folderId, tags: tags.get(folderId) ?? [] });
      add(inner, path);
    }
  };
  add(tree, []);
  return { folders, models };
}

async function reportsOf({ client }: ExportSource): Promise<Report[]> {
  const reports: Report[] = [];
  for (const { id } of await client.reports.list()) reports.push(await client.reports.read(id));
  return reports;
}
