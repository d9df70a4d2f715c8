import { readFileSync, writeFileSync } from "node:fs";
import { clientEndpoints, pythonEndpoints } from "../protocol/src/client-endpoints.ts";
import { openApiDocument } from "../protocol/src/openapi.ts";
import { pythonWire, pythonWireTypes } from "../protocol/src/python.ts";
import { wireTypes } from "../protocol/src/typescript.ts";

/** Writes the files generated from the protocol; `--check` only exits with 1 when one is stale. */
const files = [
  { path: "docs/openapi.json", text: `${outline(openApiDocument(), 4)}\n` },
  { path: "client/src/wire.ts", text: wireTypes() },
  { path: "client/src/endpoints.ts", text: clientEndpoints() },
  { path: "python/src/lossless/_ground/endpoints.py", text: pythonEndpoints() },
  { path: "python/src/lossless/_ground/wire_numbers.py", text: pythonWire() },
  { path: "python/src/lossless/wire.py", text: pythonWireTypes() },
];

const check = process.argv.includes("--check");
const root = new URL("../", import.meta.url);
const stale = files.filter(({ path, text }) => current(new URL(path, root)) !== text);

if (check && stale.length > 0) {
  const names = stale.map(({ path }) => path).join(", ");
  console.error(
    `Stale: ${names} no longer fits protocol/src. Run \`npm run generate\` and commit.`,
  );
  process.exitCode = 1;
} else if (!check) {
  for (const { path, text } of stale) {
    writeFileSync(new URL(path, root), text);
    console.log(`wrote ${path}`);
  }
}

/**
 * JSON with one line for each member of the outer objects, down to `levels`, so that a changed
 * operation is a line or two of a diff, and the document stays smaller than the sources.
 */
function outline(value: unknown, levels: number, indent = ""): string {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (levels === 0 || !isObject || Object.keys(value).length === 0) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => {
      return `${indent}  ${JSON.stringify(name)}: ${outline(member, levels - 1, `${indent}  `)}`;
    });
  return `{\n${members.join(",\n")}\n${indent}}`;
}

function current(file: URL): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
