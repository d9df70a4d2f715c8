/** The content of a release as CycloneDX 1.6 in JSON, for scanners and licence lists. */
import { createHash } from "node:crypto";
import { debianNames, type DebianPins } from "./debian-packages.ts";
import type { Artefact } from "./entries.ts";
import { dependenciesOf, type Lock, type LockedPackage } from "./installed.ts";
import { architectures, nodePackage } from "./node-runtime.ts";
import type { Release } from "./release.ts";

interface Component {
  type: "application" | "library" | "platform";
  "bom-ref": string;
  name: string;
  version: string;
  purl: string;
  licenses?: { expression: string }[];
  hashes?: { alg: "SHA-256" | "SHA-512"; content: string }[];
}

/** Lists all npm packages, those of the pages too; Node; the libraries of Debian. */
export function sbom({ version, seconds }: Release, lock: Lock, pins: DebianPins): Artefact {
  const packages = dependenciesOf(lock, ["cli", "server", "web"]);
  const runtimes = architectures.map((architecture) => nodePackage(lock, architecture));
  const debian = Object.entries(pins).flatMap(([name, pin]) =>
    Object.values(debianNames).map((architecture): Component => {
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(pin.version)}?arch=${architecture}`;
      const hashes = [{ alg: "SHA-256" as const, content: pin.sha256[architecture] }];
      return { type: "library", "bom-ref": purl, name, version: pin.version, purl, hashes };
    }),
  );
  const lossless = `pkg:generic/lossless@${version}`;
  const components = [
    ...packages.map((each) => npmComponent(each, "library")),
    ...runtimes.map((each) => npmComponent(each, "platform")),
    ...debian,
  ];
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([version, seconds, components]))}`,
    version: 1,
    metadata: {
      timestamp: new Date(seconds * 1000).toISOString().replace(".000", ""),
      component: {
        type: "application",
        "bom-ref": lossless,
        name: "lossless",
        version,
        purl: lossless,
        licenses: [{ expression: "Apache-2.0" }],
      } satisfies Component,
    },
    components,
    dependencies: [{ ref: lossless, dependsOn: components.map((each) => each["bom-ref"]) }],
  };
  const content = Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`);
  return { name: `lossless-${version}.cdx.json`, content };
}

function npmComponent(each: LockedPackage, type: Component["type"]): Component {
  const { path, name, version, license, integrity } = each;
  const content = Buffer.from(integrity?.replace(/^sha512-/, "") ?? "", "base64").toString("hex");
  return {
    type,
    "bom-ref": path,
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    hashes: [{ alg: "SHA-512", content }],
  };
}

/** A UUID derived from the content, in the form of a random one. */
function uuidOf(text: string): string {
  const hash = createHash("sha256").update(text).digest("hex");
  const variant = "89ab"[Number.parseInt(hash[16], 16) % 4];
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `4${hash.slice(13, 16)}`];
  return [...parts, `${variant}${hash.slice(17, 20)}`, hash.slice(20, 32)].join("-");
}
