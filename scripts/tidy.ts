/**
 * Style checks that no linter has: one pass over every file of the repository, one line per fault.
 * Each check is a pure function of the tree, and tidy.test.ts plants a fault for each.
 */
import { join } from "node:path";
import { addressesAroundBase } from "./tidy/base-path.ts";
import { importCircles } from "./tidy/circles.ts";
import { deadFiles } from "./tidy/dead-files.ts";
import { brokenLinks, unknownCommands, wrongTitles } from "./tidy/documents.ts";
import { forbiddenNames } from "./tidy/names.ts";
import { lostPlaces } from "./tidy/planted-faults.ts";
import { privateAddresses } from "./tidy/private-addresses.ts";
import { unusedLimits, untestedCodes } from "./tidy/protocol-coverage.ts";
import { forbiddenPythonImports } from "./tidy/python-rooms.ts";
import { forbiddenImports } from "./tidy/rooms.ts";
import { unlistedRules } from "./tidy/rules.ts";
import { sharedClasses } from "./tidy/sheets.ts";
import {
  leftovers,
  longLines,
  mutableModuleState,
  privateKeywords,
  riddles,
} from "./tidy/source.ts";
import { readTree, type Check, type Tree } from "./tidy/tree.ts";

export const checks: Check[] = [
  forbiddenNames,
  leftovers,
  mutableModuleState,
  privateKeywords,
  riddles,
  longLines,
  privateAddresses,
  deadFiles,
  importCircles,
  forbiddenImports,
  forbiddenPythonImports,
  wrongTitles,
  brokenLinks,
  unknownCommands,
  untestedCodes,
  unusedLimits,
  unlistedRules,
  sharedClasses,
  addressesAroundBase,
  lostPlaces,
];

export function faultsOf(tree: Tree): string[] {
  return checks.flatMap((check) => check(tree));
}

if (import.meta.main) {
  const faults = faultsOf(await readTree(join(import.meta.dirname, "..")));
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
