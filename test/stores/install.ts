import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";

export type RealStoreName = "radosgw" | "swift";

/** The command line of AWS, which tests of connected clouds use. */
const tools: Readonly<Record<string, string>> = { aws: "awscli" };

/** The programs each store is made of, and the Debian packages they come in. */
const programs: Readonly<Record<RealStoreName, Readonly<Record<string, string>>>> = {
  radosgw: {
    monmaptool: "ceph-base",
    ceph: "ceph-common",
    "ceph-mon": "ceph-mon",
    "ceph-osd": "ceph-osd",
    radosgw: "radosgw",
    "radosgw-admin": "ceph-common",
  },
  swift: {
    "swift-ring-builder": "swift",
    "swift-proxy-server": "swift-proxy",
    "swift-account-server": "swift-account",
    "swift-container-server": "swift-container",
    "swift-object-server": "swift-object",
  },
};

/** Installs what is missing with apt-get when we may; resolves with what is still missing, by store. */
export function installStores(names: readonly RealStoreName[]): Map<RealStoreName, string> {
  const packages = new Set(names.flatMap((name) => missingPackages(name)));
  for (const tool of missingOf(tools)) packages.add(tool);
  const obstacle = packages.size === 0 ? undefined : install([...packages]);
  const missing = new Map<RealStoreName, string>();
  for (const name of names) {
    const left = missingPackages(name);
    if (left.length > 0)
      missing.set(name, `needs the Debian packages ${left.join(", ")}; ${obstacle}`);
  }
  const toolsLeft = missingOf(tools);
  if (toolsLeft.length > 0)
    console.error(`The Debian packages ${toolsLeft.join(", ")} are missing; ${obstacle}`);
  return missing;
}

function missingPackages(name: RealStoreName): string[] {
  return missingOf(programs[name]);
}

function missingOf(wanted: Readonly<Record<string, string>>): string[] {
  const missing = Object.entries(wanted).filter(([program]) => !isInstalled(program));
  return [...new Set(missing.map(([, debianPackage]) => debianPackage))];
}

function isInstalled(program: string): boolean {
  const directories = (process.env.PATH ?? "").split(delimiter);
  return directories.some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Why it did not work; undefined when it did. */
function install(packages: string[]): string {
  if (!existsSync("/etc/debian_version")) return "they can only be installed on Debian";
  if (process.getuid?.() !== 0) return "only root can install them: run this as root, or ask root";
  console.log(`Installing ${packages.join(" ")}. This is done once.`);
  const failed =
    runAptGet(["update"]) ??
    runAptGet(["install", "--yes", "--no-install-recommends", ...packages]);
  return failed ?? "they were installed, yet their programs are not there";
}

function runAptGet(words: string[]): string | undefined {
  const result = spawnSync("apt-get", ["--quiet", ...words], {
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      DEBIAN_FRONTEND: "noninteractive",
      // The packages' own services are not wanted: in this run level Debian starts none.
      RUNLEVEL: "1",
    },
  });
  if (result.status === 0) return undefined;
  const cause = result.error?.message ?? `exit code ${result.status}`;
  return `apt-get ${words[0]} failed: ${cause}`;
}
