import * as Type from "./type.ts";
import { utf8Bytes } from "./canonical-json.ts";
import { limits } from "./limits.ts";

/** Name of the file in a version that the service writes. */
export const manifestName = "_manifest.json";
/** Accepted where a version is read; no version has this name. */
export const latestVersion = "latest";

const control = "\\x00-\\x1f\\x7f-\\x9f";
const segment = notDots(`/\\\\${control}`);
export const pathPattern = `^${segment}(?:/${segment})*$`;
const pathRule =
  "must be words separated by single slashes, none of them . or .., without backslashes and " +
  "control characters";

/**
 * A segment without `excluded` characters, other than `.` and `..`. No look-ahead: the regular
 * expressions of Go and Rust have none.
 */
function notDots(excluded: string): string {
  return wordNotDots(`[^${excluded}]`, `[^.${excluded}]`);
}

/** The same for a class of characters, given with and without the dot. */
export function wordNotDots(any: string, anyButDot: string): string {
  return `(?:${anyButDot}${any}*|\\.${anyButDot}${any}*|\\.\\.${any}+)`;
}

/** Path of an artifact (A1); pathProblem counts its bytes. */
export function artifactPath(description: string) {
  return Type.String({
    description,
    minLength: 1,
    maxLength: limits.pathBytesMax,
    pattern: pathPattern,
    "x-rule": pathRule,
  });
}

/** Name of a file in a version (A13): a path too. */
export const fileName = Type.String({
  description: "Unique in the version; may contain slashes. `_manifest.json` is reserved.",
  minLength: 1,
  maxLength: limits.pathBytesMax,
  pattern: pathPattern,
  "x-rule": pathRule,
});

const versionWord = `[A-Za-z0-9][A-Za-z0-9._-]{0,${limits.versionNameCharactersMax - 1}}`;
export const versionPattern = `^${versionWord}$`;
const versionRule =
  `must have 1 to ${limits.versionNameCharactersMax} letters, digits, dots, underscores and ` +
  "hyphens, and begin with a letter or digit";

/** Name of a version to write (A2); `latest` is refused. */
export const newVersionName = Type.String({
  description: "Versions are ordered by name, bytewise: zero-pad numbers. `latest` is reserved.",
  pattern: `^(?!${latestVersion}$)${versionWord}$`,
  // For the document, whose description says that `latest` is refused.
  "x-portable-pattern": versionPattern,
  "x-rule": `${versionRule}; latest is reserved`,
});

/** Stands before the name of an alias, where a version is read: `@best`. */
export const aliasMark = "@";

/** Name of a version to read, `latest`, or `@` and an alias. */
export const versionName = Type.String({
  description: "Name of the version, `latest`, or an alias as `@best`.",
  pattern: `^${aliasMark}?${versionWord}$`,
  "x-rule": `${versionRule}; \`@\` before it means an alias`,
});

/**
 * Name of an alias. `latest`, and `v` with digits, mean versions of themselves, here and in the
 * clients of W&B and MLflow.
 */
export const aliasName = Type.String({
  description: "Name of the alias. `latest`, and `v` with digits, are reserved.",
  pattern: `^(?!(?:[lL][aA][tT][eE][sS][tT]|[vV][0-9]+)$)${versionWord}$`,
  // For the document, whose description says which are refused.
  "x-portable-pattern": versionPattern,
  "x-rule": `${versionRule}; latest, and v with digits, are reserved`,
});
/** The same to read or remove one: an unknown alias is not found. */
export const knownAliasName = Type.String({
  description: "Name of the alias, without `@`.",
  pattern: versionPattern,
  "x-rule": versionRule,
});

export const noteName = Type.String({
  description: "Name of the note.",
  pattern: `^[A-Za-z0-9._-]{1,${limits.noteNameCharactersMax}}$`,
  "x-rule": `must have 1 to ${limits.noteNameCharactersMax} letters, digits, dots, underscores and hyphens`,
});

/** Checks what a pattern cannot: the length of a path and of its segments in bytes. */
export function pathProblem(path: string): string | undefined {
  // Most names are printable ASCII, where bytes need no counting.
  if (/^[ -~]*$/.test(path)) return plainPathProblem(path);
  if (!path.isWellFormed()) return "must be well-formed Unicode without lone surrogates";
  if (utf8Bytes(path) > limits.pathBytesMax) return tooLong;
  if (path.length <= limits.pathSegmentBytesMax / 3) return undefined;
  if (path.split("/").every((word) => utf8Bytes(word) <= limits.pathSegmentBytesMax)) {
    return undefined;
  }
  return wordTooLong;
}

function plainPathProblem(path: string): string | undefined {
  if (path.length > limits.pathBytesMax) return tooLong;
  let wordStart = 0;
  while (path.length - wordStart > limits.pathSegmentBytesMax) {
    const end = path.indexOf("/", wordStart);
    if (end === -1 || end - wordStart > limits.pathSegmentBytesMax) return wordTooLong;
    wordStart = end + 1;
  }
  return undefined;
}

const tooLong = `must have at most ${limits.pathBytesMax} bytes of UTF-8`;
const wordTooLong = `must have words of at most ${limits.pathSegmentBytesMax} bytes of UTF-8`;

/** The same for a file's name, which must not be one that the service reserves (A13). */
export function fileNameProblem(name: string): string | undefined {
  if (name === manifestName || name.startsWith(".lossless-probe")) {
    return "is reserved for the service";
  }
  return pathProblem(name);
}
