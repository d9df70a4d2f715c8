import { useLayoutEffect, useRef } from "preact/hooks";
import { areSingleKeysOn } from "../look.ts";

/** Elements with keys of their own: fields, and dialogs. */
const elsewhere = "input:not([type=checkbox], [type=range]), textarea, select, dialog";
/** A slider has only these. */
const slid = /^(Arrow|Page|Home|End)/;

/**
 * Handles keys of the page, unless the focus is in a field or a dialog. Keys that type a character
 * are ignored while they are switched off on the account's page.
 */
export function usePageKeys(onKey: (event: KeyboardEvent) => void): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  // Removed before the next page is painted, so that an immediate key is not handled by the old
  // page.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { target, key } = event;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (key.length === 1 && key !== " " && !areSingleKeysOn()) return;
      if (!(target instanceof Element) || target.closest(elsewhere) !== null) return;
      if (slid.test(key) && target.matches("[type=range]")) return;
      latest.current(event);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
