import { useEffect, useRef } from "preact/hooks";
import type { Watch } from "../changes.ts";
import type { Service } from "../signed-in.ts";

/**
 * Follows the changes of what a part of the page shows; starts anew when the dependencies change.
 */
export function useChanges(
  { changes }: Service,
  watch: Watch,
  dependencies: readonly unknown[],
): void {
  const latest = useRef(watch);
  latest.current = watch;
  useEffect(
    () =>
      changes.watch({
        seen: () => latest.current.seen(),
        look: (reply) => latest.current.look(reply),
        opened: watch.opened ?? false,
      }),
    [changes, ...dependencies],
  );
}
