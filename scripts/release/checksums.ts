import { createHash } from "node:crypto";
import type { Artefact } from "./entries.ts";

/** SHA256SUMS, in the format of `sha256sum --check SHA256SUMS`. */
export function checksums(artefacts: readonly Artefact[]): Artefact {
  const lines = artefacts
    .map(({ name, content }) => `${createHash("sha256").update(content).digest("hex")}  ${name}\n`)
    .sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1));
  return { name: "SHA256SUMS", content: Buffer.from(lines.join("")) };
}
