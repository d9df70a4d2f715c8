import { useLayoutEffect, useRef } from "preact/hooks";
import { areSingleKeysOn } from "../look.ts";

/** What has keys of its own: fields, and what stands in front of the page. */
const elsewhere = "input:not([type=checkbox]), textarea, select, dialog";

/**
 * Keys of the page, wherever the keyboard is but in a field or in front of the page. Those that
 * write a character are not heard while they are switched off on the account's page.
 */
export function usePageKeys(onKey: (event: KeyboardEvent) => void): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  // A key that follows at once is none of a page that was left.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { target, key } = event;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (key.length === 1 && key !== " " && !areSingleKeysOn()) return;
      if (target instanceof Element && target.closest(elsewhere) === null) latest.current(event);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
