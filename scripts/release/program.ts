/** The program as it lies on a disk: Node, the packages of Lossless, and all that they need. */
import { join } from "node:path";
import { packageNames, type Packages } from "./emitted.ts";
import { below, entriesBelow, type Entry, file } from "./entries.ts";
import { dependenciesOf, installedFiles, type Lock } from "./installed.ts";

/** Below the program's own directory. */
export const nodePath = "bin/node";
export const commandPath = "node_modules/@lossless/cli/bin/lossless.js";

/** The workspaces whose needs are installed; those of the pages are in the pages. */
export const served = ["cli", "server"] as const;

/** The pages, which messages and each other name, and what Prometheus and Grafana take. */
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
 * The command: it starts the Node beside it, from any directory and through links. `libraries` is a
 * folder beside it for what a slim system lacks.
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
