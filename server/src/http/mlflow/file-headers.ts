import { attachmentOf, lastWord } from "../../ground/attachment.ts";

const texts =
  `cf cfg cnf conf csv err hocon ini ipynb js json log md MLmodel MLproject mlproject prop
  properties py py3 rst toml tsv txt xml yaml yml`.split(/\s+/);
const types: Readonly<Record<string, string>> = {
  gif: "image/gif",
  htm: "text/html",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  webp: "image/webp",
  zip: "application/zip",
};

/**
 * Returns the headers that MLflow's server sends for a file by its name. The file is saved and
 * never shown as a page.
 */
export function fileHeaders(path: string): Record<string, string> {
  const name = lastWord(path);
  const ending = name.slice(name.lastIndexOf(".") + 1);
  const known = Object.hasOwn(types, ending.toLowerCase())
    ? types[ending.toLowerCase()]
    : undefined;
  const type = texts.includes(ending) ? "text/plain" : known;
  return {
    "content-type": type ?? "application/octet-stream",
    "content-disposition": attachmentOf(name),
  };
}
