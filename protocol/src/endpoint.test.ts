import assert from "node:assert/strict";
import { test } from "node:test";
import { endpoints, limits } from "./index.ts";
import type { EndpointDefinition } from "./index.ts";

test("only what lists files may be large, and what is open to everybody is small", () => {
  const large: string[] = [];
  for (const [name, definition] of Object.entries<EndpointDefinition>(endpoints)) {
    const { request, credentials } = definition;
    if (request.kind !== "json") continue;
    if (request.bytesMax === undefined) large.push(name);
    else if (credentials.length === 0) assert.equal(request.bytesMax, limits.openBodyBytesMax);
    else assert.equal(request.bytesMax, limits.setupBodyBytesMax);
    if (credentials.length === 0) assert.ok(request.bytesMax, name);
  }
  assert.deepEqual(large, ["beginVersion", "commitUpload"]);
});
