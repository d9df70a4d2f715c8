import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { installPackages, missingOf, type Programs } from "../debian-packages.ts";
import { azuriteProgram, azuriteVersion } from "./azurite.ts";

type DebianStoreName = "radosgw" | "swift";
export type RealStoreName = DebianStoreName | "azurite";

/**
 * The command line of AWS, which tests of connected clouds use; nginx, in front of two nodes;
 * promtool, which reads figures and alerts as Prometheus does.
 */
const tools: Programs = {
  aws: "awscli",
  nginx: "nginx-light",
  promtool: "prometheus",
};

/** The programs each store is made of, and the Debian packages they come in. */
const programs: Readonly<Record<DebianStoreName, Programs>> = {
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
  const obstacle = packages.size === 0 ? undefined : installPackages([...packages]);
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
