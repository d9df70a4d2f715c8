/** The installed program: Node, the packages of Lossless, and all their dependencies. */
import { join } from "node:path";
import { packageNames, type Packages } from "./emitted.ts";
import { below, entriesBelow, type Entry, file } from "./entries.ts";
import { dependenciesOf, installedFiles, type Lock } from "./installed.ts";

/** Paths relative to the program's directory. */
export const nodePath = "bin/node";
export const commandPath = "node_modules/@lossless/cli/bin/lossless.js";

/** Workspaces whose dependencies are installed; those of the pages are bundled. */
export const served = ["cli", "server"] as const;

/** Documents, which messages and other documents refer to, and files for Prometheus and Grafana. */
export function documents(root: string): Entry[] {
  const from = (folder: string, wanted: RegExp) =>
    below(
      folder,
      entriesBelow(join(root, folder), (path) => wanted.test(path)),
    );
  return [
    ...from("docs", /\/$|\.md$|^openapi\.json$/),
    ...from("deploy/monitoring", /^(alerts\.yml|grafana-dashboard\.json)$/),
  ];
}

/** `node_modules` of an installation. */
export function programFiles(root: string, lock: Lock, packages: Packages): Entry[] {
  const own = packageNames.flatMap((name) =>
    below(
      `node_modules/@lossless/${name}`,
      packages[name].filter(({ path }) => !path.endsWith(".d.ts")),
    ),
  );
  return [...own, ...installedFiles(root, dependenciesOf(lock, served))];
}

/**
 * The command: a script that starts the Node beside it, from any directory and through links.
 * `libraries` is a folder beside it, for libraries that a slim system lacks.
 */
export function launcher(libraries?: string): Entry {
  const path =
    libraries === undefined
      ? []
      : [
          "# Node is linked against libatomic, which slim systems lack.",
          `export LD_LIBRARY_PATH="\${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$here/${libraries}"`,
        ];
  const lines = [
    "#!/bin/sh",
    'here=$(dirname "$(readlink -f "$0")")',
    ...path,
    `exec "$here/${nodePath}" "$here/${commandPath}" "$@"`,
  ];
  return file("lossless", `${lines.join("\n")}\n`, 0o755);
}
