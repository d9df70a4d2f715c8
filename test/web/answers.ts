import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkoutRoot } from "../service.ts";

/** The clicks and keys that docs/web.md says an answer takes, by the number of its question. */
export const answers: ReadonlyMap<number, number> = new Map(
  readFileSync(join(checkoutRoot, "docs/web.md"), "utf8")
    .matchAll(/^\| (\d+) \|.*\| (\d+) \|$/gm)
    .map(([, number, clicks]) => [Number(number), Number(clicks)]),
);

/** Undefined for a question that the page does not have: nothing is equal to that. */
export function clicksSaid(question: number): number | undefined {
  return answers.get(question);
}
