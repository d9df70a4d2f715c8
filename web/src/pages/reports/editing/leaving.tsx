import { useLayoutEffect, useRef } from "preact/hooks";
import type { PageLocation } from "../../../location.ts";
import { AskOnce } from "../../../parts/ask-once.tsx";

export function LeaveQuestion({ leave, onClose }: { leave: () => void; onClose: () => void }) {
  return (
    <AskOnce
      title="Leave without saving?"
      verb="Leave"
      onConfirm={async () => leave()}
      onClose={onClose}
    >
      <p>Your changes are not saved. If you leave, they are lost.</p>
    </AskOnce>
  );
}

/** Asks before unsaved changes are lost: through the browser, or on this page. */
export function useWarning(
  location: PageLocation,
  isChanged: boolean,
  ask: (leave: () => void) => void,
): void {
  const latest = useRef(ask);
  latest.current = ask;
  // Removed before the next page is painted, so that an immediate step does not meet this guard.
  useLayoutEffect(() => {
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    const unguard = location.guard((leave) => latest.current(leave));
    return () => {
      window.removeEventListener("beforeunload", warn);
      unguard();
    };
  }, [location, isChanged]);
}
