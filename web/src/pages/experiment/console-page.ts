import type { PageLocation } from "../../location.ts";
import type { LoadablePage } from "../../page.ts";

/** The tab of the console, a script of its own: few visits begin with it. */
export const consolePage: LoadablePage = {
  load: () => import("./console/console-tab.tsx").then(({ ConsoleTab }) => ConsoleTab),
};

/** Opens the console at the time of a chart's cursor, or at its end. */
export async function openConsole(
  location: PageLocation,
  time: Promise<number | undefined> | undefined,
): Promise<void> {
  const atMs = await time;
  const at = atMs === undefined ? undefined : String(Math.floor(atMs));
  location.change({ tab: "console", at, line: undefined }, true);
}
