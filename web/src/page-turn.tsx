import { useEffect, useRef, useState } from "preact/hooks";

/** The title of a page may need a name that is read first. */
const settleMs = 500;

/**
 * Another page has come without a document of its own: its title is told to who does not see it,
 * and the keyboard stands at its beginning, unless what has it is still there.
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
        To the page
      </button>
      <p class="unseen" role="status">
        {title}
      </p>
    </>
  );
}

/** It is no stop of Tab, but the next one is the first behind it. */
function focusMain(): void {
  const main = document.querySelector("main");
  if (main === null) return;
  main.tabIndex = -1;
  main.focus({ preventScroll: true });
}

/** Calls once the page has its content, which is read first; gives how to stop waiting. */
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
