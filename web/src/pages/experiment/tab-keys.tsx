import { useState } from "preact/hooks";
import type { PageLocation } from "../../location.ts";
import { KeyHelp, type KeyList } from "../../parts/key-help.tsx";
import { usePageKeys } from "../../parts/use-page-keys.ts";
import { type Tab, tabs } from "./tabs.ts";

/** The keys of all parts of the page. */
export const tabKeys: KeyList = [
  [`1 to ${tabs.length}`, `go to a part of the page: ${tabs.join(", ")}`],
];

const ofOverview: KeyList = [
  ["/", "search metrics"],
  ["?", "show this list"],
];

/**
 * Digits open the parts of the page in their order. Charts and the console have lists of keys of
 * their own.
 */
export function TabKeys({ tab, location }: { tab: Tab; location: PageLocation }) {
  const [isShown, setIsShown] = useState(false);
  usePageKeys((event) => {
    const { key } = event;
    const opened = /^[1-9]$/.test(key) ? tabs[Number(key) - 1] : undefined;
    if (opened !== undefined) {
      if (opened !== tab) location.change({ tab: opened }, true);
    } else if (tab === "charts" || tab === "console") return;
    else if (key === "?") setIsShown(true);
    else if (key === "/")
      document.querySelector<HTMLElement>("main [aria-keyshortcuts='/']")?.focus();
    else return;
    event.preventDefault();
  });
  if (!isShown) return null;
  const keys = tab === "overview" ? [...tabKeys, ...ofOverview] : [...tabKeys, ofOverview[1]];
  return <KeyHelp keys={keys} onClose={() => setIsShown(false)} />;
}
