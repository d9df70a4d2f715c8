import { cutText } from "../../chart/cut.ts";
import type { Compared } from "./use-compared.ts";

/** What is said of the compared ones, and of how many more it says nothing. */
export function saidOf(text: string, { cut }: Pick<Compared, "cut">): string {
  return cut === undefined ? text : `${text}, ${cutText(cut)}`;
}
