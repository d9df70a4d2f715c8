import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../planted.ts";
import { readPins } from "./debian-packages.ts";
import { readLock } from "./installed.ts";
import { sbom } from "./sbom.ts";

interface Document {
  serialNumber: string;
  components: { purl: string; "bom-ref": string; hashes: { content: string }[] }[];
}

const release = { root, version: "0.1.0", seconds: 1_700_000_000 };
const document = () =>
  JSON.parse(sbom(release, readLock(root), readPins()).content.toString()) as Document;

test("it names what npm does not mark as needed for development alone, and nothing else", () => {
  const rows = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; link?: boolean }>;
  };
  const needed = Object.entries(rows.packages).filter(
    ([path, { dev, devOptional, link }]) =>
      path.includes("node_modules/") && !dev && !devOptional && !link,
  );
  const ours = document().components.map((each) => each["bom-ref"]);
  assert.deepEqual(
    ours.filter((path) => !path.startsWith("pkg:deb/")).sort(),
    needed.map(([path]) => path).sort(),
  );
});

test("every component has a name of its own and a hash, and the number follows from the content", () => {
  const { components, serialNumber } = document();
  assert.equal(new Set(components.map((each) => each["bom-ref"])).size, components.length);
  for (const { purl, hashes } of components) {
    assert.match(hashes[0].content, /^([0-9a-f]{64}|[0-9a-f]{128})$/, purl);
  }
  assert.match(
    serialNumber,
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  assert.equal(document().serialNumber, serialNumber);
  const later = sbom({ ...release, seconds: 1 }, readLock(root), readPins()).content.toString();
  assert.notEqual((JSON.parse(later) as Document).serialNumber, serialNumber);
});
