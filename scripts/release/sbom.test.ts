import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { root } from "../planted.ts";
import { readPins } from "./debian-packages.ts";
import { readLock } from "./installed.ts";
import { sbom } from "./sbom.ts";

interface Document {
  serialNumber: string;
  components: { purl: string; "bom-ref": string; hashes: { content: string }[] }[];
}

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  version: string;
};
const release = { root, version, seconds: 1_700_000_000 };
const document = () =>
  JSON.parse(sbom(release, readLock(root), readPins()).content.toString()) as Document;

test("it names what npm does not mark as for development, without esbuild, with OpenTelemetry", () => {
  const rows = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; link?: boolean }>;
  };
  const needed = Object.entries(rows.packages).filter(
    ([path, { dev, devOptional, link }]) =>
      // esbuild builds the pages of a clone; the packages of OpenTelemetry are for --traces.
      (path.includes("node_modules/") && !dev && !devOptional && !link && !/esbuild/.test(path)) ||
      path.startsWith("node_modules/@opentelemetry/"),
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

test("it is what the schema of CycloneDX 1.6 allows, and what the schema forbids is seen", async () => {
  const check = await schemaOf("bom-1.6");
  const sound = document();
  assert.ok(check(sound), JSON.stringify(check.errors));
  const [first] = sound.components;
  for (const wrong of [
    { ...first, hashes: [{ alg: "SHA-512", content: "no hash" }] },
    { ...first, type: "program" },
    { ...first, licences: [] },
  ])
    assert.ok(!check({ ...sound, components: [wrong] }), JSON.stringify(wrong));
});

/** The schema as published by CycloneDX, from its own library. */
async function schemaOf(name: string) {
  const folder = join(root, "node_modules/@cyclonedx/cyclonedx-library/res/schema");
  const read = (one: string) =>
    JSON.parse(readFileSync(join(folder, `${one}.SNAPSHOT.schema.json`), "utf8")) as object;
  // The schemas name formats of international addresses, which none of ours has.
  const ajv = new Ajv({ strict: false, validateFormats: true, allErrors: true });
  formats.default(ajv);
  for (const format of ["iri-reference", "idn-email"]) ajv.addFormat(format, true);
  for (const one of ["spdx", "jsf-0.82"]) {
    ajv.addSchema(read(one), `http://cyclonedx.org/schema/${one}.SNAPSHOT.schema.json`);
  }
  return ajv.compile(read(name));
}
