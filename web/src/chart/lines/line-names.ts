import { useMemo } from "preact/hooks";
import { ListedNames } from "../../parts/listed-names.ts";
import type { LineLook } from "./looks.ts";

/** The names of a chart's lines, as a list shows them. */
export function useLineNames(looks: readonly LineLook[]): ListedNames {
  return useMemo(() => new ListedNames(looks.map(({ name }) => name)), [looks]);
}
