/**
 * Installs what tests, checks and releases need beyond `npm ci`, which installs the service's
 * needs, where any of it is missing. The scripts of package.json that need it run this first.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8")) as Row;

interface Row {
  version?: string;
  /** The row is a link to a workspace. */
  link?: boolean;
  /** May be missing, as it may be for another system. */
  optional?: boolean;
  packages?: Record<string, Row>;
}

if (Object.entries(read("package-lock.json").packages ?? {}).some(isMissing)) {
  console.log("npm brings what tests and checks need, once");
  const install = ["install", "--include=dev", "--no-save", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", [...install, "--loglevel=error"], {
    cwd: root,
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}

function isMissing([path, row]: [string, Row]): boolean {
  if (!path.includes("node_modules/") || row.link === true || row.optional === true) return false;
  try {
    return read(`${path}/package.json`).version !== row.version;
  } catch {
    return true;
  }
}
