import { endpoints, pageEndpoints } from "@lossless/protocol";

/** Pages that redirect people to the sign-in page and back. */
const returning = [endpoints.authorizePage, endpoints.devicePage, ...Object.values(pageEndpoints)];
const returnPaths = returning.map(({ path }) => path.split("/"));

/** The address after a sign-in that names none. */
export const homeAddress = endpoints.experimentsPage.path;

/** Returns the sign-in page's address, which continues at one of our addresses. */
export function signInAddress(next: string): string {
  return `${endpoints.signInPage.path}?${new URLSearchParams({ next }).toString()}`;
}

/**
 * Returns the address to continue at after a sign-in: a page of ours with its query, and nothing
 * that a browser could take for another host. Undefined for everything else.
 */
export function nextAddress(text: string | undefined): string | undefined {
  if (text === undefined || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(text) || text.startsWith("//")) {
    return undefined;
  }
  const url = URL.parse(text, "http://own.invalid");
  if (url === null || url.origin !== "http://own.invalid") return undefined;
  return returnPaths.some((path) => isOf(path, url.pathname.split("/")))
    ? url.pathname + url.search
    : undefined;
}

/** A part in braces matches any part. */
function isOf(path: readonly string[], parts: readonly string[]): boolean {
  return (
    path.length === parts.length &&
    path.every((part, at) => (part.startsWith("{") ? parts[at] !== "" : part === parts[at]))
  );
}
