import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

export const plotHeight = 240;
/** What stands around the plot of a chart that has the whole screen. */
const aroundFullScreen = 150;

/**
 * How much room there is, and whether anybody could see it: it is on the screen, nearly, or has the
 * keyboard. `lastHeight` is how high it was when that ended, so that nothing moves.
 */
export function useRoom(figure: RefObject<HTMLElement | null>) {
  const [size, setSize] = useState({ width: 0, height: plotHeight });
  const [near, setNear] = useState<{ isNear: boolean; lastHeight?: number }>({ isNear: false });
  useLayoutEffect(() => {
    const element = figure.current!;
    const look = () => {
      const isFull = document.fullscreenElement === element;
      const height = isFull ? Math.max(plotHeight, innerHeight - aroundFullScreen) : plotHeight;
      setSize({ width: element.clientWidth, height });
    };
    const sized = new ResizeObserver(look);
    sized.observe(element);
    const come = (entries: readonly IntersectionObserverEntry[]) => {
      const isSeen = entries.at(-1)!.isIntersecting;
      const isNear = isSeen || element.contains(document.activeElement);
      setNear((before) =>
        isNear || !before.isNear
          ? { ...before, isNear }
          : { isNear, lastHeight: element.offsetHeight },
      );
    };
    const seen = new IntersectionObserver(come, { rootMargin: "400px" });
    seen.observe(element);
    return () => (sized.disconnect(), seen.disconnect());
  }, []);
  return { ...size, ...near };
}
