import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { file, link } from "./entries.ts";
import { image } from "./image.ts";
import { readTar } from "./tar.ts";

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  platform?: { architecture: string; os: string };
  annotations?: Record<string, string>;
}

/** A Debian with what an image reads: a library, and files that do not belong on its root. */
const debian = {
  read: (name: string) =>
    Promise.resolve({
      control: `Package: ${name}\n`,
      files: [
        file(`lib/x86_64-linux-gnu/${name}.so.1`, name, 0o755),
        link(`usr/lib/x86_64-linux-gnu/${name}.so`, `${name}.so.1`),
        file(`usr/share/doc/${name}/copyright`, "free"),
        file(`usr/share/doc/${name}/changelog.Debian.gz`, ""),
      ],
    }),
};
const node = { program: Buffer.from("node"), license: Buffer.from("MIT") };
const program = [file("node_modules/@lossless/cli/bin/lossless.js", "main()", 0o755)];
const release = { root: "", version: "1.2.3", seconds: 1_700_000_000 };
const contents = (["x64", "arm64"] as const).map((architecture) => ({
  architecture,
  program,
  node,
}));

async function layout() {
  const { content } = await image(release, contents, debian);
  const files = new Map([...readTar(content)].map((entry) => [entry.path, entry]));
  const bytes = (path: string) => {
    const entry = files.get(path);
    if (entry?.kind !== "file") throw new Error(`no ${path}`);
    return entry.content;
  };
  const json = (path: string) => JSON.parse(bytes(path).toString()) as Record<string, unknown>;
  const blob = ({ digest }: Descriptor) => `blobs/${digest.replace(":", "/")}`;
  return { files, bytes, json, blob };
}

const sha256 = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

test("every blob is under its hash, and every descriptor has its size", async () => {
  const { files, bytes, json, blob } = await layout();
  const reached = new Set<string>();
  const visit = (each: Descriptor) => {
    const content = bytes(blob(each));
    reached.add(blob(each));
    assert.equal(sha256(content), each.digest);
    assert.equal(content.length, each.size);
    if (!each.mediaType.endsWith("+json") || each.mediaType.includes("config")) return;
    const {
      manifests = [],
      layers = [],
      config,
    } = json(blob(each)) as {
      manifests?: Descriptor[];
      layers?: Descriptor[];
      config?: Descriptor;
    };
    [...manifests, ...layers, ...(config === undefined ? [] : [config])].forEach(visit);
  };
  (json("index.json")["manifests"] as Descriptor[]).forEach(visit);
  const others = [...files.keys()].filter((path) => !reached.has(path));
  assert.deepEqual(others.sort(), ["index.json", "oci-layout"]);
  assert.deepEqual(json("oci-layout"), { imageLayoutVersion: "1.0.0" });
});

test("an image for each processor, whose layers unpack to what the configuration says", async () => {
  const { bytes, json, blob } = await layout();
  const [index] = json("index.json")["manifests"] as Descriptor[];
  assert.deepEqual(index.annotations, {
    "org.opencontainers.image.ref.name": "1.2.3",
    "io.containerd.image.name": "docker.io/library/lossless:1.2.3",
  });
  const manifests = json(blob(index))["manifests"] as Descriptor[];
  assert.deepEqual(
    manifests.map(({ platform }) => platform?.architecture),
    ["amd64", "arm64"],
  );
  const [{ layers, config }] = manifests.map((each) => json(blob(each))) as {
    layers: Descriptor[];
    config: Descriptor;
  }[];
  const contents = layers.map((each) => gunzipSync(bytes(blob(each))));
  const configuration = json(blob(config));
  assert.deepEqual(configuration["rootfs"], { type: "layers", diff_ids: contents.map(sha256) });
  const { User, Entrypoint } = configuration["config"] as { User: string; Entrypoint: string[] };
  assert.equal(User, "65532:65532");
  const entries = contents.flatMap((content) => [...readTar(content)]);
  const paths = entries.map(({ path }) => path);
  for (const path of Entrypoint) assert.ok(paths.includes(path.slice(1)), path);
  const kept = paths.filter((path) => path.includes("libc6")).sort();
  assert.deepEqual(kept, [
    "usr/lib/x86_64-linux-gnu/libc6.so.1",
    "usr/share/doc/libc6/copyright",
    "var/lib/dpkg/status.d/libc6",
  ]);
});
