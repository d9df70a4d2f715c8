import { useMemo } from "preact/hooks";
import { type NamePart, toldApart } from "../../parts/told-apart.ts";
import type { LineLook } from "./looks.ts";

export type NameParts = ReadonlyMap<string, readonly NamePart[]>;

/** The parts by which the names of a chart's lines are told apart. */
export function useNameParts(looks: readonly LineLook[]): NameParts {
  return useMemo(() => toldApart(looks.map(({ name }) => name)), [looks]);
}
