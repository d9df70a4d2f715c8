import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** A chart of a usual width is so high, and a wide one somewhat higher. */
export const plotHeight = 240;
const plotHeightMax = 320;
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
      const width = element.clientWidth;
      const wanted = isFull ? innerHeight - aroundFullScreen : Math.min(plotHeightMax, width / 4);
      setSize({ width, height: Math.max(plotHeight, Math.round(wanted)) });
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
