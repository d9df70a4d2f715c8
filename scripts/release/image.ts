/**
 * An OCI image, written without a runtime: an image layout with two layers for each processor, by
 * OCI's specification. It has the Debian libraries that Node is linked against, Node and the
 * program: no shell, no package manager.
 */
import { createHash } from "node:crypto";
import { compressed } from "./compressed.ts";
import { debianNames, type DebianSource } from "./debian-packages.ts";
import { type Artefact, below, directory, type Entry, file, link } from "./entries.ts";
import type { Architecture } from "./node-runtime.ts";
import { commandPath, nodePath } from "./program.ts";
import type { Release } from "./release.ts";
import { tar } from "./tar.ts";

const media = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
} as const;

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  platform?: { architecture: string; os: string; variant?: string };
  annotations?: Record<string, string>;
}

export interface ImageContent {
  architecture: Architecture;
  program: readonly Entry[];
  node: { program: Buffer; license: Buffer };
}

/** The layout as one tar file, with an index of all processors. */
export async function image(
  release: Release,
  contents: readonly ImageContent[],
  debian: DebianSource,
): Promise<Artefact> {
  const { version, seconds } = release;
  const blobs = new Blobs();
  const manifests: Descriptor[] = [];
  for (const content of contents) manifests.push(await imageOf(release, content, debian, blobs));
  const index = blobs.addJson(media.index, { schemaVersion: 2, mediaType: media.index, manifests });
  // The name of the image for OCI, and the one that Docker uses when it loads the file.
  const annotations = {
    "org.opencontainers.image.ref.name": version,
    "io.containerd.image.name": `docker.io/library/lossless:${version}`,
  };
  const top = { schemaVersion: 2, mediaType: media.index, manifests: [{ ...index, annotations }] };
  const layout = [
    file("oci-layout", '{"imageLayoutVersion":"1.0.0"}'),
    file("index.json", JSON.stringify(top)),
    ...blobs.entries(),
  ];
  return { name: `lossless-${version}-image.tar`, content: tar(layout, seconds) };
}

/** Blobs, stored under the hashes of their contents. */
class Blobs {
  readonly #contents = new Map<string, Buffer>();

  add(mediaType: string, content: Buffer): Descriptor {
    const hash = sha256(content);
    this.#contents.set(hash, content);
    return { mediaType, digest: `sha256:${hash}`, size: content.length };
  }

  addJson(mediaType: string, value: unknown): Descriptor {
    return this.add(mediaType, Buffer.from(JSON.stringify(value)));
  }

  entries(): Entry[] {
    return [...this.#contents].map(([hash, content]) => file(`blobs/sha256/${hash}`, content));
  }
}

async function imageOf(
  release: Release,
  { architecture, program, node }: ImageContent,
  debian: DebianSource,
  blobs: Blobs,
): Promise<Descriptor> {
  const runtime = [
    ...(await minimalRoot(debian, architecture)),
    file(`${home}/${nodePath}`, node.program, 0o755),
    file("usr/share/doc/node/copyright", node.license),
    command,
  ];
  const contents = [runtime, below(home, program)].map((entries) => tar(entries, release.seconds));
  const layers: Descriptor[] = [];
  for (const content of contents) layers.push(blobs.add(media.layer, await compressed(content)));
  const created = new Date(release.seconds * 1000).toISOString().replace(".000", "");
  const platform = {
    architecture: debianNames[architecture],
    os: "linux",
    ...(architecture === "arm64" ? { variant: "v8" } : {}),
  };
  const config = blobs.addJson(media.config, {
    created,
    ...platform,
    config: configuration(release.version),
    rootfs: { type: "layers", diff_ids: contents.map((each) => `sha256:${sha256(each)}`) },
    history: ["Debian's libraries and Node", "Lossless"].map((created_by) => ({
      created,
      created_by,
    })),
  });
  const manifest = { schemaVersion: 2, mediaType: media.manifest, config, layers };
  return { ...blobs.addJson(media.manifest, manifest), platform };
}

/** Directory of the program. */
const home = "usr/lib/lossless";
/** The command starts without a shell: the kernel starts Node by its first line. */
const command = file(
  "usr/bin/lossless",
  `#!/${home}/${nodePath}\nimport "/${home}/${commandPath}";\n`,
  0o755,
);
/** Id of the user, the same as `nonroot` in distroless images. */
const userId = 65532;

/**
 * Configuration of containers. The health check is Docker's own field; Kubernetes has its probes.
 */
function configuration(version: string) {
  const node = `/${home}/${nodePath}`;
  const healthy = [
    "fetch(`http://127.0.0.1:${process.env.LOSSLESS_PORT ?? 7070}/healthz`)",
    ".then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))",
  ];
  return {
    User: `${userId}:${userId}`,
    ExposedPorts: { "7070/tcp": {} },
    Env: ["PATH=/usr/bin", "LOSSLESS_HOST=0.0.0.0", "LOSSLESS_DATA=/data/lossless"],
    Entrypoint: [`/${command.path}`],
    Cmd: ["serve"],
    Volumes: { "/data": {} },
    WorkingDir: "/data",
    StopSignal: "SIGTERM",
    Healthcheck: { Test: ["CMD", node, "-e", healthy.join("")], Interval: 30e9, Timeout: 5e9 },
    Labels: {
      "org.opencontainers.image.title": "lossless",
      "org.opencontainers.image.version": version,
      "org.opencontainers.image.licenses": "Apache-2.0",
    },
  };
}

const libraries = ["libatomic1", "libc6", "libgcc-s1", "libstdc++6"];

/** Debian's files below `usr`, as newer releases have them, and those that glibc reads in /etc. */
async function minimalRoot(debian: DebianSource, architecture: Architecture): Promise<Entry[]> {
  const root: Entry[] = [
    link("lib", "usr/lib"),
    ...(architecture === "x64" ? [link("lib64", "usr/lib64")] : []),
    file("etc/passwd", `root:x:0:0::/:/none\nlossless:x:${userId}:${userId}::/data:/none\n`),
    file("etc/group", `root:x:0:\nlossless:x:${userId}:\n`),
    file("etc/nsswitch.conf", "hosts: files dns\n"),
    file("etc/os-release", 'PRETTY_NAME="Lossless on Debian 12"\nID=debian\nVERSION_ID="12"\n'),
    directory("tmp", 0o1777),
    { ...directory("data", 0o700), owner: userId },
  ];
  for (const name of [...libraries, "gcc-12-base"]) {
    const { files, control } = await debian.read(name, architecture);
    // Scanners look here for installed packages, as in other images without dpkg.
    root.push(file(`var/lib/dpkg/status.d/${name}`, control));
    const kept = files.filter(({ path }) =>
      /^(usr\/)?lib(64)?\/([^/]*-linux-gnu\/)?[^/]*\.so\.\d[^/]*$|\/copyright$/.test(path),
    );
    root.push(...kept.map((entry) => ({ ...entry, path: entry.path.replace(/^lib/, "usr/lib") })));
  }
  return root;
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
