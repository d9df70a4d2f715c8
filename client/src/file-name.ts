import { limits } from "./wire.ts";

/** Names reserved by the service: its manifest, and probe files written to test a store. */
const reserved = /^(?:_manifest\.json$|\.lossless-probe)/;

/**
 * Returns why a file cannot have this name in a version, or must not be written under it;
 * undefined: it can. Applies the service's rule (segments separated by slashes), and refuses drive
 * letters, which point elsewhere on Windows. Checked before pushing and again before pulling: the
 * writer of the version may have applied other rules.
 */
export function fileNameProblem(name: string): string | undefined {
  if (name === "") return "is empty";
  if (!name.isWellFormed()) return "is not well-formed Unicode";
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for.
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name)) return "has control characters";
  if (name.includes("\\")) return "has a backslash";
  if (/^[A-Za-z]:/.test(name)) return "begins with a drive letter";
  if (reserved.test(name)) return "is reserved for the service";
  const encoder = new TextEncoder();
  if (encoder.encode(name).length > limits.pathBytesMax) {
    return `has more than ${limits.pathBytesMax} bytes`;
  }
  for (const word of name.split("/")) {
    if (word === "") return "begins or ends with a slash, or has two in a row";
    if (word === "." || word === "..") return `has the part ${word}`;
    if (encoder.encode(word).length > limits.pathSegmentBytesMax) {
      return `has a part of more than ${limits.pathSegmentBytesMax} bytes`;
    }
  }
  return undefined;
}
