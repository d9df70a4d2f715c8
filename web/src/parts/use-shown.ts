import { useState } from "preact/hooks";
import type { Service } from "../signed-in.ts";

/** A state that begins with its last value in this document, where the page was shown before. */
export function useShown<T>(
  { shown }: Pick<Service, "shown">,
  name: string,
): [value: T | undefined, set: (value: T) => void] {
  const [value, setValue] = useState(() => shown.get(name) as T | undefined);
  const set = (next: T) => {
    shown.set(name, next);
    setValue(() => next);
  };
  return [value, set];
}
