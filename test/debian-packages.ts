import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Programs that tests run, with the Debian packages they come in. */
export type Programs = Readonly<Record<string, string>>;

/** The packages whose programs are not on the PATH. */
export function missingOf(wanted: Programs): string[] {
  const missing = Object.entries(wanted).filter(([program]) => !isInstalled(program));
  return [...new Set(missing.map(([, debianPackage]) => debianPackage))];
}

/** By apt-get. Why it did not work; when it did, nobody asks. */
export function installPackages(packages: string[]): string {
  if (!existsSync("/etc/debian_version")) return "they can only be installed on Debian";
  if (process.getuid?.() !== 0) return "only root can install them: run this as root, or ask root";
  console.log(`Installing ${packages.join(" ")}. This is done once.`);
  const failed =
    runAptGet(["update"]) ??
    runAptGet(["install", "--yes", "--no-install-recommends", ...packages]);
  return failed ?? "they were installed, yet their programs are not there";
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
