import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type {
  AliasChange,
  Annotation,
  Attempt,
  ConsoleSource,
  ExperimentRecord,
  Organization,
  Report,
  SavedView,
  VersionAlias,
  ViewedModel,
  Workspace,
} from "@lossless/client";
import { CommandError } from "../command.ts";
import { type PartialFiles, writeAtomically } from "../export/write-atomically.ts";
import type { Message } from "../import/mlflow/mlflow-server.ts";

/**
 * Format of the directory of an exported organization. `manifest.json` is written first with
 * `isComplete` false and last with true; `experiment.json` and `version.json` are written after
 * everything beside them.
 */
export const format = { format: "lossless organization", formatVersion: 1 } as const;

export interface Manifest {
  format: typeof format.format;
  formatVersion: number;
  isComplete: boolean;
  organization: Organization;
  exportedAtMs: number;
  /** Paths of names from the root, parents first. */
  folders: ExportedFolder[];
  experiments: { experimentId: string; slug: string; sha256: string }[];
  artifacts: ExportedArtifact[];
  counts: {
    experiments: number;
    points: number;
    annotations: number;
    /** Lines of consoles. Absent in exports before there were any. */
    lines?: number;
    runFiles: number;
    versions: number;
  };
  savedViews: SavedView[];
  reports: Report[];
  /** Absent in exports before there were any. */
  workspaces?: Workspace[];
  /** Registered models. Absent in exports before there were any. */
  models?: ExportedModel[];
  /** Sentences about items that no import can restore. */
  leftOut: string[];
}

export interface ExportedFolder {
  path: string[];
  /** Referred to by saved views and reports. Absent for the root, and in the earliest exports. */
  folderId?: string;
  /** Tags of MLflow's clients; a path without names is the root. */
  tags: { key: string; value: string }[];
}

export interface ExportedModel extends Pick<
  ViewedModel,
  "model" | "description" | "aliases" | "tags" | "versions"
> {}

export interface ExportedArtifact {
  artifact: string;
  directory: string;
  versions: string[];
  notes: ExportedNote[];
  /** Absent in exports before there were any. */
  aliases?: VersionAlias[];
  /** Their history, newest first, to be read: an import sets the aliases of today. */
  aliasChanges?: AliasChange[];
}

export interface ExportedNote {
  note: string;
  base64: string;
}

export interface FileSum {
  /** Path below the experiment's directory. */
  path: string;
  bytes: number;
  sha256: string;
}

export interface ExportedExperiment {
  record: ExperimentRecord;
  folder: string[];
  /** The service's revision when read; while equal, nothing has changed. */
  revision: number;
  points: number;
  annotations: number;
  /** Absent in exports before there were any. */
  console?: ExportedConsole;
  /** Absent in exports of earlier versions. */
  attempts?: Attempt[];
  /** Data that MLflow's clients wrote beside it, as returned by `runs/get`. */
  run: Message;
  files: FileSum[];
  /** Sentences about items that no import can restore. */
  leftOut: string[];
}

export const names = {
  manifest: "manifest.json",
  experiment: "experiment.json",
  points: "points.ndjson.gz",
  annotations: "annotations.ndjson.gz",
  metrics: "metrics.ndjson.gz",
  console: "console.ndjson.gz",
  files: "files",
  version: "version.json",
  pictures: "pictures",
} as const;

export interface ExportedVersion {
  version: string;
  committed: string;
  source: string | null;
  meta: Record<string, unknown>;
}

/** The console of an experiment; its lines, as the service gives them, are `console.ndjson.gz`. */
export interface ExportedConsole {
  lines: number;
  /** In the order of their numbers. */
  sources: ConsoleSource[];
}

/** A line of `annotations.ndjson.gz`. */
export type AnnotationLine = Omit<Annotation, "annotationId">;

export function experimentDirectory(directory: string, experimentId: string): string {
  return join(directory, "experiments", experimentId);
}

/**
 * Directory of an artifact, hashed: names of artifacts may be longer than file names, or equal to
 * each other on some file systems.
 */
export function artifactDirectory(artifact: string): string {
  return join("artifacts", nameOf(artifact));
}

export function versionDirectory(directory: string, version: string): string {
  return join(directory, nameOf(version));
}

/** A file name with a hash, which distinguishes names that differ only in case. */
function nameOf(text: string): string {
  const shown = text
    .replaceAll(/[^a-z0-9._-]/g, "_")
    .replace(/^\./, "_")
    .slice(0, 100);
  return `${shown}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}

/** The file of a picture that reports name, which is named by its content. */
export function pictureFile(directory: string, picture: string): string {
  return join(directory, names.pictures, picture);
}

export async function writeJson(
  path: string,
  value: object,
  partials: PartialFiles,
): Promise<void> {
  const text = `${JSON.stringify(value, undefined, 1)}\n`;
  await writeAtomically(path, oneChunk(text), { overwrite: true, partials });
}

async function* oneChunk(text: string): AsyncGenerator<string> {
  yield text;
}

/** Reads a JSON file; undefined when it does not exist. */
export async function readJson<Value>(path: string): Promise<Value | undefined> {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(await readFile(path, "utf8")) as Value;
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

export async function readManifest(directory: string): Promise<Manifest | undefined> {
  const manifest = await readJson<Manifest>(join(directory, names.manifest));
  if (manifest === undefined) return undefined;
  if (manifest.format === format.format && manifest.formatVersion === format.formatVersion)
    return manifest;
  throw new CommandError(
    `${directory} is not an organization that this version of lossless can import`,
  );
}

export async function sumOf(directory: string, path: string): Promise<FileSum> {
  const file = join(directory, path);
  const { size } = await stat(file);
  return { path, bytes: size, sha256: await sha256Of(file) };
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
