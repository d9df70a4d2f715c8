import { nameTest } from "@lossless/protocol/name-search";
import { readWords } from "../table/read-words.ts";

/** Returns the test of a search for keys of metas, with or without `meta.` before them. */
export function keyTest(search: string): (path: string) => boolean {
  const fits = readWords("text", () => nameTest(search));
  return (path) => fits(path) || fits(`meta.${path}`);
}
