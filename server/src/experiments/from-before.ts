import type { Reader, Transaction } from "../database/database.ts";
import { addAnnotatedUse } from "./lineage/links.ts";
import { usedVersionOf } from "./lineage/used-version.ts";
import { addLoggedAnnotation, addLoggedFile } from "./logged/index-logged.ts";
import { placeOfImage, placeOfMeta } from "./logged/place.ts";
import { nonfiniteOf, noteNonfiniteBefore, passNotesBefore } from "./nonfinite.ts";

/**
 * Annotations and files from before their indexes (migrations 033, 041 and 046) are looked through
 * once, from the last one down. These rows of `installation` have the last one that was, and are
 * removed when all were; `versions` is that of artifacts/rows/writing-experiment.ts.
 */
const cursors = {
  annotations: "unindexed_annotations",
  files: "unindexed_files",
  versions: "unindexed_versions",
} as const;

/**
 * Whether lineage of an organization from before migration 046 may be missing; of any organization
 * if none is given.
 */
export async function isLineageBehind(reader: Reader, organizationId?: string): Promise<boolean> {
  const { annotations, versions } = await readCursors(reader);
  if (organizationId === undefined) return (annotations ?? versions) !== undefined;
  if (annotations !== undefined) {
    const row = await reader.get(
      "SELECT id FROM experiment WHERE organization = $1 AND id <= $2 LIMIT 1",
      organizationId,
      experimentIn(annotations),
    );
    if (row !== undefined) return true;
  }
  if (versions === undefined) return false;
  const row = await reader.get(
    `SELECT version.name FROM artifact JOIN version ON version.artifact = artifact.id
     WHERE artifact.organization = $1 AND artifact.id >= $2 LIMIT 1`,
    organizationId,
    versions.split("\n")[0],
  );
  return row !== undefined;
}

/**
 * Whether the index of what some experiments logged before migration 041 may lack some of it; of
 * any experiment if none are given.
 */
export async function isLoggedBehind(reader: Reader, asked?: AskedExperiments): Promise<boolean> {
  const { annotations, files } = await readCursors(reader);
  if (asked === undefined) return (annotations ?? files) !== undefined;
  return (
    (await hasRowsBefore(reader, asked, "annotation.experiment", annotations)) ||
    (await hasRowsBefore(reader, asked, "file.owner", files))
  );
}

interface AskedExperiments {
  organizationId: string;
  experimentIds: readonly string[];
}

type Cursors = { [Name in keyof typeof cursors]?: string };

/** Returns what is still looked through, as of now. */
async function readCursors(reader: Reader): Promise<Cursors> {
  const rows = await reader.all<{ name: string; value: string }>(
    `SELECT name, value FROM installation WHERE ${reader.isOneOf("name", "$1")}`,
    JSON.stringify(Object.values(cursors)),
  );
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  const left = Object.entries(cursors).filter(([, name]) => values.has(name));
  return Object.fromEntries(left.map(([of, name]) => [of, values.get(name)]));
}

/** Whether one of the experiments has annotations or files that are not looked through yet. */
async function hasRowsBefore(
  reader: Reader,
  { organizationId, experimentIds }: AskedExperiments,
  owner: "annotation.experiment" | "file.owner",
  cursor: string | undefined,
): Promise<boolean> {
  if (cursor === undefined) return false;
  const row = await reader.get(
    `SELECT id FROM experiment
     WHERE organization = $1 AND ${reader.isOneOf("id", "$2")} AND id <= $3
       AND EXISTS (SELECT 1 FROM ${owner.split(".")[0]} WHERE ${owner} = experiment.id) LIMIT 1`,
    organizationId,
    JSON.stringify(experimentIds),
    experimentIn(cursor),
  );
  return row !== undefined;
}

/** Finds that one transaction adds: each takes some statements. */
const foundPerStep = 100;
/** Sorts after every experiment. */
const aboveAll = "~";

/** An annotation by its number, or a file by its path. */
type Found = { experimentId: string } & ({ number: number } | { path: string });

/** Some annotations or files that were looked through, and those that belong into an index. */
export interface LookedBefore {
  of: "annotations" | "files";
  /** The cursor with which they were read. */
  from: string;
  /** The next cursor; undefined: these were the last ones. */
  to: string | undefined;
  looked: number;
  found: Found[];
}

/**
 * Looks through some annotations, those of the newest experiment first, and then files; later ones
 * are indexed as they are written. Undefined: all were looked through.
 */
export async function lookBefore(
  reader: Reader,
  rowsMax: number,
): Promise<LookedBefore | undefined> {
  const annotations = await cursorOf(reader, "annotations");
  if (annotations !== undefined) return lookAtAnnotations(reader, annotations, rowsMax);
  const files = await cursorOf(reader, "files");
  return files === undefined ? undefined : lookAtFiles(reader, files, rowsMax);
}

async function cursorOf(
  reader: Reader,
  of: LookedBefore["of"],
  lock = "",
): Promise<string | undefined> {
  const row = await reader.get<{ value: string }>(
    `SELECT value FROM installation WHERE name = $1${lock}`,
    cursors[of],
  );
  return row?.value;
}

async function lookAtAnnotations(
  reader: Reader,
  from: string,
  rowsMax: number,
): Promise<LookedBefore> {
  const [experiment, number] = from === "" ? [aboveAll, 0] : (JSON.parse(from) as [string, number]);
  // Most metas stay in the database, and most of the others belong into no index.
  const rows = await reader.all<{
    experiment: string;
    number: number;
    meta: string;
    notes_before: number | null;
  }>(
    `SELECT experiment, number,
       (SELECT notes_before FROM summarized WHERE experiment = annotation.experiment) AS notes_before,
       CASE WHEN meta LIKE '%artifact-used%' OR meta LIKE '%"media"%' OR meta LIKE '%"text"%'
         OR meta LIKE '%nonfinite%' OR meta LIKE '%!\\u%' ESCAPE '!' THEN meta ELSE '' END AS meta
     FROM annotation WHERE (experiment, number) < ($1, CAST($2 AS BIGINT))
     ORDER BY experiment DESC, number DESC LIMIT $3`,
    experiment,
    number,
    rowsMax,
  );
  // One annotation of such a value is enough: all of the experiment are counted then.
  const counted = new Set<string>();
  return stepOf("annotations", from, rowsMax, rows, (row) => {
    const found = { experimentId: row.experiment, number: row.number };
    const isBefore = row.number <= -(row.notes_before ?? 0) && !counted.has(row.experiment);
    if (isBefore && nonfiniteOf(row.meta, 0) !== undefined) counted.add(row.experiment);
    else if (usedVersionOf(row.meta) === undefined && placeOfMeta(row.meta) === undefined)
      return { at: [row.experiment, row.number] };
    return { at: [row.experiment, row.number], found };
  });
}

async function lookAtFiles(reader: Reader, from: string, rowsMax: number): Promise<LookedBefore> {
  const [owner, path] = from === "" ? [aboveAll, ""] : (JSON.parse(from) as [string, string]);
  const rows = await reader.all<{ owner: string; path: string }>(
    `SELECT owner, path FROM file WHERE (owner, path) < ($1, $2)
     ORDER BY owner DESC, path DESC LIMIT $3`,
    owner,
    path,
    rowsMax,
  );
  return stepOf("files", from, rowsMax, rows, (row) => {
    const mayBeLogged = placeOfImage(row.path) !== undefined || row.path.endsWith(".json");
    const found = { experimentId: row.owner, path: row.path };
    return { at: [row.owner, row.path], ...(mayBeLogged && { found }) };
  });
}

function stepOf<Row>(
  of: LookedBefore["of"],
  from: string,
  rowsMax: number,
  rows: readonly Row[],
  look: (row: Row) => { at: unknown; found?: Found },
): LookedBefore {
  const all: Found[] = [];
  let last: unknown;
  for (const [row, each] of rows.entries()) {
    const { at, found } = look(each);
    last = at;
    if (found === undefined) continue;
    all.push(found);
    if (all.length === foundPerStep)
      return { of, from, to: JSON.stringify(at), looked: row + 1, found: all };
  }
  const to = rows.length < rowsMax ? undefined : JSON.stringify(last);
  return { of, from, to, looked: rows.length, found: all };
}

/**
 * `experiment.addBefore`: adds those that are still there to their indexes, and moves the cursor.
 * Another node may have done it already.
 */
export async function addBefore(
  transaction: Transaction,
  { of, from, to, found }: LookedBefore,
): Promise<void> {
  if ((await cursorOf(transaction, of, transaction.forUpdate)) !== from) return;
  // In the order in which other writes lock heads.
  const byExperiment = Map.groupBy(found.toReversed(), ({ experimentId }) => experimentId);
  for (const [experimentId, own] of byExperiment) {
    // A purge waits for the lock, or has removed the head and then the rest. Models have none.
    const head = await transaction.get(
      `SELECT log_seq FROM head WHERE experiment = $1${transaction.forUpdate}`,
      experimentId,
    );
    if (head === undefined) continue;
    await addAnnotations(transaction, experimentId, own);
    for (const each of own) if ("path" in each) await addFile(transaction, experimentId, each.path);
  }
  if (of === "annotations") await passNotesBefore(transaction, to && experimentIn(to));
  if (to === undefined)
    await transaction.run("DELETE FROM installation WHERE name = $1", cursors[of]);
  else await transaction.run("UPDATE installation SET value = $2 WHERE name = $1", cursors[of], to);
}

/** Returns the experiment to which a cursor has come down. */
function experimentIn(cursor: string): string {
  return cursor === "" ? aboveAll : (JSON.parse(cursor) as [string])[0];
}

async function addAnnotations(
  transaction: Transaction,
  experimentId: string,
  found: readonly Found[],
): Promise<void> {
  const numbers = found.flatMap((each) => ("number" in each ? [each.number] : []));
  if (numbers.length === 0) return;
  const annotations = await transaction.all<{ number: number; meta: string; atMs: number }>(
    `SELECT number, meta, created_at_ms AS "atMs" FROM annotation
     WHERE experiment = $1 AND ${transaction.isOneOfIntegers("number", "$2")} ORDER BY number`,
    experimentId,
    JSON.stringify(numbers),
  );
  for (const { number, meta, atMs } of annotations) {
    await addAnnotatedUse(transaction, { experimentId, atMs }, meta);
    await addLoggedAnnotation(transaction, experimentId, meta, number);
    if (nonfiniteOf(meta, atMs) !== undefined)
      await noteNonfiniteBefore(transaction, experimentId, number);
  }
}

async function addFile(transaction: Transaction, experimentId: string, path: string) {
  const file = await transaction.get(
    "SELECT path FROM file WHERE owner = $1 AND path = $2",
    experimentId,
    path,
  );
  if (file !== undefined) await addLoggedFile(transaction, experimentId, path);
}
