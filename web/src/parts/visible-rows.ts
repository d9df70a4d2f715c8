import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Rows that are drawn beyond both edges, so that scrolling shows no gap. */
const spareRows = 12;

/** Which rows of one height stand in a container that scrolls: only these are drawn. */
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
