import { useEffect, useRef, useState } from "preact/hooks";

/** Milliseconds to wait for a title, which may need a name that is read first. */
const settleMs = 500;

/**
 * Handles a new page without a new document: announces its title to screen readers and moves the
 * focus to its beginning, unless the focused element is still there.
 */
export function PageTurn({ path }: { path: string }) {
  const before = useRef(path);
  const [title, setTitle] = useState("");
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    let later: ReturnType<typeof setTimeout>;
    const left = whenThere(() => {
      if (document.activeElement === document.body) focusMain();
      later = setTimeout(() => setTitle(document.title), settleMs);
    });
    return () => {
      left();
      clearTimeout(later);
    };
  }, [path]);
  return (
    <>
      <button type="button" class="skip" onClick={() => whenThere(focusMain)}>
        Skip to content
      </button>
      <p class="unseen" role="status">
        {title}
      </p>
    </>
  );
}

/** Focuses an element that is no Tab stop; the next one is the first after it. */
function focusMain(): void {
  const main = document.querySelector("main");
  if (main === null) return;
  main.tabIndex = -1;
  main.focus({ preventScroll: true });
}

/** Calls `act` once the page has its content; returns a function that stops waiting. */
function whenThere(act: () => void): () => void {
  const look = () => {
    if (document.querySelector("main") === null) return;
    watch.disconnect();
    act();
  };
  const watch = new MutationObserver(look);
  watch.observe(document.body, { childList: true, subtree: true });
  look();
  return () => watch.disconnect();
}
