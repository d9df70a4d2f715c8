import { eachLine, type Tree } from "./tree.ts";

const machinePath = new RegExp(
  `(^|[\\s"'\`(=:,])/(${["work", "home", "root", "Users", "tmp"].join("|")})/[\\w.-]`,
);
const registryHost = /https?:\/\/[^\s/"']*(registry|artifactory|nexus|verdaccio)[^\s/"']*/i;
const resolvedByUrl = /"resolved": "https?:/;

/** Directories of users' machines and package registries, which the repository must not name. */
export function privateAddresses(tree: Tree): string[] {
  return eachLine(
    tree,
    () => true,
    (line) => {
      if (machinePath.test(line)) return "a path of somebody's machine";
      if (registryHost.test(line) || resolvedByUrl.test(line)) return "the address of a registry";
      return undefined;
    },
  );
}
