import { pathProblem } from "@lossless/protocol/names";
import { ServiceError } from "../../ground/errors.ts";
import { invalid } from "./message.ts";

/**
 * The owner of the files that an address means, and the path below; an empty path means all of
 * them.
 */
export interface ServedPath {
  owner: string;
  path: string;
}

const decodingsMax = 8;

/**
 * Returns the owner and path of `<experiment>/<run>/artifacts/…` or
 * `<experiment>/models/<model>/artifacts/…`, the only forms. The first word is not compared: the
 * run may have been moved since its client read where its files are.
 */
export function servedPath(words: readonly string[]): ServedPath {
  const [, ...rest] = words;
  const isModel = rest[0] === "models" && modelId.test(rest[1] ?? "");
  const [owner, artifacts, ...path] = isModel ? rest.slice(1) : rest;
  if (artifacts !== "artifacts" || owner === undefined || (!isModel && modelId.test(owner)))
    throw new ServiceError("file_not_found", `No such artifact: '${words.join("/")}'`);
  return { owner, path: path.join("/") };
}

const modelId = /^m-[0-9a-f]{32}$/;

/** Returns the words of a file's path, by the rules of A1. */
export function fileWords(path: string): string[] {
  if (path === "" || isClimbing(path) || hasForbidden(path)) throw invalidPath();
  const words = path.split("/");
  if (words.some((word) => word === "" || word === ".")) throw invalidPath();
  return words;
}

/** Returns the words of a folder to list: a surplus slash, or a dot, means nothing. */
export function folderWords(path: string): string[] {
  if (isClimbing(path) || hasForbidden(path)) throw invalidPath();
  return path.split("/").filter((word) => word !== "" && word !== ".");
}

/**
 * Returns the part behind the fixed part of an address, decoded once, as the client meant it.
 * MLflow's client writes names raw: the rest of a name with a question mark arrives as a query, and
 * without it the name would be that of another file.
 */
export function pathInAddress(target: string, prefix: string): string {
  const mark = target.indexOf("?");
  if (mark >= 0) {
    throw invalid(
      `Invalid path: the address of a file has no query, and this one has ${JSON.stringify(target.slice(mark))}. ` +
        "A name with a question mark is sent as %3F; MLflow's client does not, so rename the file.",
    );
  }
  const path = target;
  try {
    return decodeURIComponent(path.slice(prefix.length));
  } catch {
    throw invalidPath();
  }
}

export function checkPathLength(path: string): void {
  const problem = pathProblem(path);
  if (problem !== undefined) throw invalid(`Invalid path: it ${problem}.`);
}

/** Whether a path leaves its folder, also when a reader decodes it once more. */
function isClimbing(path: string): boolean {
  let text = path;
  for (let turn = 0; turn < decodingsMax; turn++) {
    if (text.startsWith("/") || text.split(/[/\\]/).includes("..")) return true;
    let decoded: string;
    try {
      decoded = decodeURIComponent(text);
    } catch {
      return false;
    }
    if (decoded === text) return false;
    text = decoded;
  }
  return true;
}

function hasForbidden(path: string): boolean {
  return /[\\\p{Cc}]/u.test(path) || !path.isWellFormed();
}

function invalidPath(): ServiceError {
  return invalid("Invalid path");
}
