import { endpoints } from "@lossless/protocol";

/** Pages that send people to the sign-in page and want them back. */
const returnPaths: ReadonlySet<string> = new Set([
  endpoints.authorizePage.path,
  endpoints.devicePage.path,
  endpoints.experimentsPage.path,
  endpoints.slugPage.path,
]);

/** Where nobody asked to go on to. */
export const homeAddress = endpoints.experimentsPage.path;

/** The sign-in page, which goes on to one of our addresses. */
export function signInAddress(next: string): string {
  return `${endpoints.signInPage.path}?${new URLSearchParams({ next }).toString()}`;
}

/**
 * The address to go on to after sign-in: a page of ours with its query, and nothing that a browser
 * could take for another host. Undefined for everything else.
 */
export function nextAddress(text: string | undefined): string | undefined {
  if (text === undefined || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(text) || text.startsWith("//")) {
    return undefined;
  }
  const url = URL.parse(text, "http://own.invalid");
  if (url === null || url.origin !== "http://own.invalid") return undefined;
  const isExperiment = url.pathname.startsWith(`${endpoints.experimentsPage.path}/`);
  return isExperiment || returnPaths.has(url.pathname) ? url.pathname + url.search : undefined;
}
