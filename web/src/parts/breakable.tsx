import type { ComponentChildren } from "preact";

/** A name that breaks behind its separators first, and not within a word. */
export function breakable(name: string): ComponentChildren {
  const [first, ...others] = name.split(/(?<=[/_.=-])/u);
  return [first, ...others.flatMap((part, at) => [<wbr key={at} />, part])];
}
