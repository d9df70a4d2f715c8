import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type {
  Annotation,
  ExperimentRecord,
  Organization,
  Report,
  SavedView,
} from "@lossless/client";
import { CommandError } from "../command.ts";
import { type PartialFiles, writeAtomically } from "../export/write-atomically.ts";
import type { Message } from "../import/mlflow/mlflow-server.ts";

/**
 * The directory of an exported organization. `manifest.json` is written first with `isComplete`
 * false and last with true; `experiment.json` and `version.json` stand once all beside them does.
 */
export const format = { format: "lossless organization", formatVersion: 1 } as const;

export interface Manifest {
  format: typeof format.format;
  formatVersion: number;
  isComplete: boolean;
  organization: Organization;
  exportedAtMs: number;
  /** Paths of names from the root, parents before what is in them. */
  folders: ExportedFolder[];
  experiments: { experimentId: string; slug: string; sha256: string }[];
  artifacts: { artifact: string; directory: string; versions: string[]; notes: ExportedNote[] }[];
  counts: {
    experiments: number;
    points: number;
    annotations: number;
    runFiles: number;
    versions: number;
  };
  savedViews: SavedView[];
  reports: Report[];
  /** What an import cannot bring, a sentence each. */
  leftOut: string[];
}

export interface ExportedFolder {
  path: string[];
  /** Saved views and reports may name it. The root has none, and no export had it at first. */
  folderId?: string;
  /** Tags of MLflow's clients; a path without names is the root. */
  tags: { key: string; value: string }[];
}

export interface ExportedNote {
  note: string;
  base64: string;
}

export interface FileSum {
  /** Below the directory of the experiment. */
  path: string;
  bytes: number;
  sha256: string;
}

export interface ExportedExperiment {
  record: ExperimentRecord;
  folder: string[];
  /** The service's, when this was read: equal, and nothing has changed. */
  revision: number;
  points: number;
  annotations: number;
  /** What MLflow's clients wrote beside it, as `runs/get` gives it. */
  run: Message;
  files: FileSum[];
  /** What an import cannot bring, a sentence each. */
  leftOut: string[];
}

export const names = {
  manifest: "manifest.json",
  experiment: "experiment.json",
  points: "points.ndjson.gz",
  annotations: "annotations.ndjson.gz",
  metrics: "metrics.ndjson.gz",
  files: "files",
  version: "version.json",
} as const;

export interface ExportedVersion {
  version: string;
  committed: string;
  source: string | null;
  meta: Record<string, unknown>;
}

/** A line of `annotations.ndjson.gz`. */
export type AnnotationLine = Omit<Annotation, "annotationId">;

export function experimentDirectory(directory: string, experimentId: string): string {
  return join(directory, "experiments", experimentId);
}

/** Names of artifacts and versions are longer than names of files may be, and fall together. */
export function artifactDirectory(artifact: string): string {
  return join("artifacts", nameOf(artifact));
}

export function versionDirectory(directory: string, version: string): string {
  return join(directory, nameOf(version));
}

/** What differs in capitals only stays apart where a file system does not tell them apart. */
function nameOf(text: string): string {
  const shown = text
    .replaceAll(/[^a-z0-9._-]/g, "_")
    .replace(/^\./, "_")
    .slice(0, 100);
  return `${shown}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
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

/** Undefined where there is no such file. */
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
  throw new CommandError(`${directory} is no organization that this version of lossless exported`);
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
