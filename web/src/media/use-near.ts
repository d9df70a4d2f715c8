import type { ReadonlySignal } from "@preact/signals";
import { createContext, type RefObject } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";

/** Whether all is wanted, however far from the screen: for paper, or for a file. */
export const WholeContext = createContext<ReadonlySignal<boolean> | undefined>(undefined);

export function useIsWhole(): boolean {
  return useContext(WholeContext)?.value === true;
}

/**
 * Whether an element is on the screen or at most so many pixels away, also in a container that
 * scrolls. The first answer comes at once, from the screen alone: an observer waits for a frame,
 * and the charts above may be drawn in that.
 */
export function useNear(element: RefObject<Element | null>, marginPx: number): boolean {
  const [isNear, setIsNear] = useState(false);
  const isWhole = useIsWhole();
  useLayoutEffect(() => {
    setIsNear(isNearScreen(element.current!, marginPx));
    const seen = new IntersectionObserver((entries) => setIsNear(entries.at(-1)!.isIntersecting), {
      rootMargin: `${marginPx}px`,
    });
    seen.observe(element.current!);
    return () => seen.disconnect();
  }, [marginPx]);
  return isNear || isWhole;
}

function isNearScreen(element: Element, marginPx: number): boolean {
  const { top, bottom, left, right } = element.getBoundingClientRect();
  const { innerWidth, innerHeight } = window;
  const isBeside = left > innerWidth + marginPx || right < -marginPx;
  return !isBeside && top <= innerHeight + marginPx && bottom >= -marginPx;
}
