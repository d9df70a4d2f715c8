import type { Reader } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import { findExperiments } from "./find-experiments.ts";
import { findVersions } from "./find-versions.ts";
import type { Find, Rule } from "./rule.ts";

/** Yields the experiments or versions that a rule would take now. */
export function findByRule(
  reader: Reader,
  { content, ...whose }: Rule,
  moment: Moment,
): AsyncGenerator<Find> {
  return content.kind === "experiments"
    ? findExperiments(reader, { ...whose, content }, moment)
    : findVersions(reader, { ...whose, content }, moment);
}
