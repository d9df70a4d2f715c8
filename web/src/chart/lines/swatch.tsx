import type { Kind } from "./colours.ts";

/** The look of a line, beside its name. */
export function Swatch({ kind: { colour, pattern } }: { kind: Kind }) {
  return <i class={`swatch line-${colour} pattern-${pattern}`} aria-hidden="true" />;
}
