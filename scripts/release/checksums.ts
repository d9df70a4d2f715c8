import { createHash } from "node:crypto";
import type { Artefact } from "./entries.ts";

/** As `sha256sum --check SHA256SUMS` reads it. */
export function checksums(artefacts: readonly Artefact[]): Artefact {
  const lines = artefacts
    .map(({ name, content }) => `${createHash("sha256").update(content).digest("hex")}  ${name}\n`)
    .sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1));
  return { name: "SHA256SUMS", content: Buffer.from(lines.join("")) };
}
