import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Rows drawn beyond both edges, so that scrolling shows no gap. */
const spareRows = 12;

/** Finds the visible rows of equal height in a scrolling container: only these are drawn. */
export function useVisibleRows(count: number, rowPixels: number) {
  const container: RefObject<HTMLDivElement | null> = useRef(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const element = container.current;
    if (element === null) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const sized = new ResizeObserver(look);
    sized.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      sized.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  const first = Math.max(0, Math.floor(view.top / rowPixels) - spareRows);
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowPixels) + spareRows);
  return {
    container,
    first: Math.min(first, last),
    last,
    before: Math.min(first, last) * rowPixels,
    after: (count - last) * rowPixels,
  };
}
