import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Follows the width of an element, in pixels. */
export function useWidth(): { element: RefObject<HTMLDivElement | null>; width: number } {
  const element: RefObject<HTMLDivElement | null> = useRef(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const look = () => setWidth(element.current!.clientWidth);
    look();
    const sized = new ResizeObserver(look);
    sized.observe(element.current!);
    return () => sized.disconnect();
  }, []);
  return { element, width };
}
