import { limits } from "@lossless/protocol/limits";
import { type LoggedKind, loggedKinds } from "@lossless/protocol/logged-kinds";

/** The series and step of something that was logged beside numbers. */
export interface LoggedPlace {
  kind: LoggedKind;
  name: string;
  step: number;
}

/** The number of a kind in the database. */
export function kindNumber(kind: LoggedKind): number {
  return loggedKinds.indexOf(kind);
}

/**
 * Returns the place of what an annotation is about, as our clients write it: `{"kind": "media",
 * "_media": {kind, name, step, …}}` or `{"kind": "text", metricName, step}`.
 */
export function placeOfMeta(metaText: string): LoggedPlace | undefined {
  // Most annotations are not worth parsing; letters may be written as escapes.
  if (!/"media"|"text"|\\u/.test(metaText)) return undefined;
  const meta = JSON.parse(metaText) as Record<string, unknown>;
  if (meta.kind === "text") return place("text", meta.metricName, meta.step);
  const media = meta._media;
  if (meta.kind !== "media" || !isObject(media) || media.kind === "text") return undefined;
  return place(media.kind, media.name, media.step);
}

/**
 * The name of a file of MLflow's `log_image` with a key, where slashes of the key are `#`. A
 * smaller copy beside it ends in `%compressed.webp`.
 */
const imagePath =
  /^images\/(?<key>.+?)(?<mark>[%+])step\k<mark>(?<step>\d{1,16})\k<mark>timestamp\k<mark>(?<ms>\d{1,16})\k<mark>[^%+/]+\.[a-z]+$/;

/** Returns the place of a file of `log_image`, and when that was called. */
export function placeOfImage(path: string): (LoggedPlace & { timestampMs: number }) | undefined {
  const { key, step, ms } = imagePath.exec(path)?.groups ?? {};
  const found = place("image", key?.replaceAll("#", "/"), Number(step));
  const timestampMs = Number(ms);
  return found && Number.isSafeInteger(timestampMs) ? { ...found, timestampMs } : undefined;
}

/** The tag in which MLflow's `log_table` lists its files: `[{"path": …, "type": "table"}, …]`. */
export const tablesTag = "mlflow.loggedArtifacts";

/** Returns the places of the tables in that tag; MLflow gives them no step. */
export function placesOfTables(tag: string): (LoggedPlace & { path: string })[] {
  let listed: unknown;
  try {
    listed = JSON.parse(tag);
  } catch {
    return [];
  }
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((one: unknown) => {
    if (!isObject(one) || one.type !== "table" || typeof one.path !== "string") return [];
    const found = place("table", one.path, 0);
    return found === undefined ? [] : [{ ...found, path: one.path }];
  });
}

function place(kind: unknown, name: unknown, step: unknown): LoggedPlace | undefined {
  const isPlace =
    loggedKinds.includes(kind as LoggedKind) &&
    typeof name === "string" &&
    name !== "" &&
    name.length <= limits.loggedNameCharactersMax &&
    Number.isSafeInteger(step) &&
    (step as number) >= 0 &&
    (step as number) <= limits.stepMax;
  return isPlace ? { kind: kind as LoggedKind, name, step: step as number } : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
