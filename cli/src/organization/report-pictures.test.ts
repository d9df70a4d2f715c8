import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type LosslessClient, type Report, RequestError } from "@lossless/client";
import { PartialFiles } from "../export/write-atomically.ts";
import { exportPictures, importPictures } from "./report-pictures.ts";

const [here, gone] = ["a".repeat(32), "b".repeat(32)];
const report = {
  id: "there",
  name: "A",
  scope: "shared",
  blocks: [{ kind: "text", markdown: `![one](picture:${here}) ![two](picture:${gone})` }],
} as unknown as Report;

test("pictures that a report names are exported once, and put beside the imported one", async () => {
  const directory = mkdtempSync(join(tmpdir(), "pictures-"));
  using _ = { [Symbol.dispose]: () => rmSync(directory, { recursive: true }) };
  let reads = 0;
  const source = {
    reports: {
      picture: async ({ picture }: { picture: string }) => {
        reads++;
        if (picture === here) return Buffer.from("bytes");
        throw new RequestError("gone", 404, "not_found");
      },
    },
  } as unknown as LosslessClient;
  const partials = new PartialFiles();
  for (const _again of [1, 2]) {
    const told = await exportPictures({ client: source, partials }, directory, [report]);
    assert.deepEqual(told, ["a picture that the report A names is not there"]);
  }
  assert.equal(reads, 3, "one is there already");

  const added: unknown[] = [];
  const target = (blocks: unknown) =>
    ({
      reports: {
        list: async () => [{ id: "here", name: "A", scope: "shared" }],
        read: async () => ({ blocks }),
        addPicture: async (...given: unknown[]) => added.push(given),
      },
    }) as unknown as LosslessClient;
  const left = await importPictures(target([]), directory, report);
  assert.deepEqual([left, added], [undefined, []], "another report of this name");
  assert.equal(await importPictures(target(report.blocks), directory, report), undefined);
  assert.deepEqual(added, [["here", new Uint8Array(Buffer.from("bytes"))]]);
});
