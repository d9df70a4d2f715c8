import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/**
 * Whether an element is on the screen or at most so many pixels away, also in a container that
 * scrolls. The first answer comes at once, from the screen alone: an observer waits for a frame,
 * and the charts above may be drawn in that.
 */
export function useNear(element: RefObject<Element | null>, marginPx: number): boolean {
  const [isNear, setIsNear] = useState(false);
  useLayoutEffect(() => {
    setIsNear(isNearScreen(element.current!, marginPx));
    const seen = new IntersectionObserver((entries) => setIsNear(entries.at(-1)!.isIntersecting), {
      rootMargin: `${marginPx}px`,
    });
    seen.observe(element.current!);
    return () => seen.disconnect();
  }, [marginPx]);
  return isNear;
}

function isNearScreen(element: Element, marginPx: number): boolean {
  const { top, bottom, left, right } = element.getBoundingClientRect();
  const { innerWidth, innerHeight } = window;
  const isBeside = left > innerWidth + marginPx || right < -marginPx;
  return !isBeside && top <= innerHeight + marginPx && bottom >= -marginPx;
}
