import { endpoints, type ErrorForm, graphqlErrors, v2Errors } from "@lossless/protocol";

/**
 * Returns the form of a refusal of this address: that of the endpoint, or else of the interface
 * that claims the path. Addresses are compared decoded, as the router does.
 */
export function errorFormOf(target: string): ErrorForm {
  const path = decodedPath(target);
  if (graphqlErrors.paths?.test(path) === true) return graphqlErrors;
  const rows = Object.values(endpoints);
  const row =
    rows.find(({ path: known }) => known === path) ??
    rows.find(({ errorForm }) => errorForm.paths?.test(path));
  return row?.errorForm ?? v2Errors;
}

/**
 * Returns the target of a request that Node's parser refused: that of the last request line in the
 * bytes that it had read, or of the line at which it stopped. May be empty when they came in
 * pieces.
 */
export function targetIn(bytes: Buffer | undefined, readBytes = bytes?.length): string {
  const text = bytes?.toString("latin1") ?? "";
  const end = text.indexOf("\n", readBytes);
  const lines = text.slice(0, end < 0 ? undefined : end);
  const whole = [...lines.matchAll(/^[A-Z]+ (\S+) HTTP\/1\.[01]\r?$/gm)].at(-1)?.[1];
  // An invalid method, or a line longer than all headers may be.
  const stoppedAt = /^[A-Za-z]+ (\/\S*)/.exec(lines.slice(lines.lastIndexOf("\n") + 1))?.[1];
  return stoppedAt ?? whole ?? "";
}

/** Returns the path of a request target as the router compares it. */
export function decodedPath(target: string): string {
  const [path = ""] = target.replace(/^https?:\/\/[^/?#]*/i, "").split("?", 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
