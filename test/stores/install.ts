import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { azuriteProgram, azuriteVersion } from "./azurite.ts";

type DebianStoreName = "radosgw" | "swift";
export type RealStoreName = DebianStoreName | "azurite";

/**
 * The command line of AWS, which tests of connected clouds use; nginx, in front of two nodes;
 * promtool, which reads figures and alerts as Prometheus does.
 */
const tools: Readonly<Record<string, string>> = {
  aws: "awscli",
  nginx: "nginx-light",
  promtool: "prometheus",
};

/** The programs each store is made of, and the Debian packages they come in. */
const programs: Readonly<Record<DebianStoreName, Readonly<Record<string, string>>>> = {
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

/** It installs what is missing, by apt-get if allowed; it gives what is still missing, by store. */
export function installStores(wanted: readonly RealStoreName[]): Map<RealStoreName, string> {
  const names = wanted.filter((name) => name !== "azurite");
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
  const problem = wanted.includes("azurite") ? installAzurite() : undefined;
  if (problem !== undefined) missing.set("azurite", problem);
  return missing;
}

/**
 * Azurite and what it needs are 380 packages: no dependency of this project, but a directory of its
 * own, of one exact version, without their install scripts.
 */
function installAzurite(): string | undefined {
  if (existsSync(azuriteProgram)) return undefined;
  const directory = azuriteProgram.slice(0, azuriteProgram.indexOf("/node_modules/azurite/"));
  console.log(`Installing azurite ${azuriteVersion}. This is done once.`);
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
  const result = spawnSync(
    "npm",
    ["install", "--prefix", directory, ...options, `azurite@${azuriteVersion}`],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  if (result.status === 0 && existsSync(azuriteProgram)) return undefined;
  return `npm install failed: ${result.error?.message ?? `exit code ${result.status}`}`;
}

function missingPackages(name: DebianStoreName): string[] {
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
