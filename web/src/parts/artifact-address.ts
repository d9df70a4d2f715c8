/** Addresses of the pages of artifacts. */

export function artifactAddress(
  artifact: string,
  more: { version?: string; file?: string } = {},
): string {
  return `/artifact?${new URLSearchParams({ name: artifact, ...more }).toString()}`;
}

export function folderAddress(under: string): string {
  return under === "" ? "/artifacts" : `/artifacts?${new URLSearchParams({ under }).toString()}`;
}

export interface Crumb {
  word: string;
  address: string;
}

/** The folders that lead to an artifact, without its last word, or into a folder. */
export function crumbsOf(path: string): Crumb[] {
  const crumbs: Crumb[] = [{ word: "Artifacts", address: folderAddress("") }];
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    const under = path.slice(0, slash + 1);
    const word = path.slice(path.lastIndexOf("/", slash - 1) + 1, slash);
    crumbs.push({ word, address: folderAddress(under) });
  }
  return crumbs;
}
