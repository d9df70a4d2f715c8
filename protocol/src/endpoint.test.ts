import assert from "node:assert/strict";
import { test } from "node:test";
import { type EndpointDefinition, endpoints, limits } from "./index.ts";
import { mlflowErrors } from "./mlflow-errors.ts";
import { scimErrors } from "./scim-errors.ts";

/** Clients return the long addresses of a file's parts. */
const mlflowBytes = (name: string): number =>
  ["mlflowCompleteParts", "mlflowLogInputs"].includes(name)
    ? limits.mlflowLongBodyBytesMax
    : limits.mlflowBodyBytesMax;

test("only what lists files or lines may be large, and what is open to everybody is small", () => {
  const large: string[] = [];
  for (const [name, definition] of Object.entries<EndpointDefinition>(endpoints)) {
    const { request, credentials, errorForm } = definition;
    if (request.kind !== "json") continue;
    if (request.bytesMax === limits.filesBodyBytesMax) large.push(name);
    else if (request.bytesMax === limits.consoleBodyBytesMax) large.push(name);
    else if (errorForm === mlflowErrors) assert.ok(request.bytesMax === mlflowBytes(name));
    else if (errorForm === scimErrors) assert.equal(request.bytesMax, limits.scimBodyBytesMax);
    else if (credentials.length === 0) assert.equal(request.bytesMax, limits.openBodyBytesMax);
    else assert.equal(request.bytesMax, limits.setupBodyBytesMax);
    if (credentials.length === 0) assert.ok(request.bytesMax, name);
  }
  assert.deepEqual(large, ["beginVersion", "commitUpload", "appendConsole"]);
});

test("as many files as a version may have fit, with the longest names, escaped", () => {
  const escaped = "\\u00e9".repeat(limits.pathBytesMax / 2);
  const files = (more: string) =>
    limits.filesPerVersionMax * `{"name": "${escaped}", ${more}}, `.length;
  const etags = limits.partsPerUploadMax * ('"\\"\\"", '.length + 32);
  const begin = files(`"size": ${limits.fileBytesMax}`) + limits.jsonMetaBytesMax;
  assert.ok(Math.max(begin, files('"etags": []') + etags) + 65_536 < limits.filesBodyBytesMax);
});
