import type { Kind } from "./colours.ts";

/** What a line looks like, beside its name. */
export function Swatch({ kind: { colour, pattern } }: { kind: Kind }) {
  return <i class={`swatch line-${colour} pattern-${pattern}`} aria-hidden="true" />;
}
