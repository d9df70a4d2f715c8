import { eachLine, type Tree } from "./tree.ts";

const machinePath = new RegExp(
  `(^|[\\s"'\`(=:,])/(${["work", "home", "root", "Users", "tmp"].join("|")})/[\\w.-]`,
);
const registryHost = /https?:\/\/[^\s/"']*(registry|artifactory|nexus|verdaccio)[^\s/"']*/i;
const resolvedByUrl = /"resolved": "https?:/;

/** The repository stands alone: it names no directory of a user's machine, no package registry. */
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
