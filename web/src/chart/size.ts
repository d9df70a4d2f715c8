import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Height of a chart of usual width, and of the widest ones. */
export const plotHeight = 240;
const plotHeightMax = 320;
/** Height around the plot of a full-screen chart. */
const aroundFullScreen = 150;

/**
 * The room of a chart, and whether it is visible: on the screen, nearby, or focused. `lastHeight`
 * is its height when that ended, so that nothing moves.
 */
export function useChartSize(
  figure: RefObject<HTMLElement | null>,
  /** Height of its plot; undefined: by its width. */
  ownHeight?: number,
) {
  const [size, setSize] = useState({ width: 0, height: plotHeight });
  const [near, setNear] = useState<{ isNear: boolean; lastHeight?: number }>({ isNear: false });
  useLayoutEffect(() => {
    const element = figure.current!;
    const look = () => {
      const isFull = document.fullscreenElement === element;
      const width = element.clientWidth;
      const usual = Math.max(plotHeight, Math.min(plotHeightMax, width / 4));
      const full = Math.max(plotHeight, innerHeight - aroundFullScreen);
      setSize({ width, height: Math.round(isFull ? full : (ownHeight ?? usual)) });
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
  }, [ownHeight]);
  return { ...size, ...near };
}
