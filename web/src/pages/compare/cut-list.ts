import { cutText } from "../../chart/cut.ts";
import type { Compared } from "./use-compared.ts";

/** Adds to a text how many found experiments it does not cover. */
export function saidOf(text: string, { cut }: Pick<Compared, "cut">): string {
  return cut === undefined ? text : `${text}, ${cutText(cut)}`;
}
