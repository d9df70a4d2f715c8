import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

export const plotHeight = 240;
/** What stands around the plot of a chart that has the whole screen. */
const aroundFullScreen = 150;

/** How much room there is, and whether anybody could see it. */
export function useRoom(figure: RefObject<HTMLElement | null>) {
  const [size, setSize] = useState({ width: 0, height: plotHeight });
  const [isNear, setIsNear] = useState(false);
  useLayoutEffect(() => {
    const element = figure.current!;
    const look = () => {
      const isFull = document.fullscreenElement === element;
      const height = isFull ? Math.max(plotHeight, innerHeight - aroundFullScreen) : plotHeight;
      setSize({ width: element.clientWidth, height });
    };
    const sized = new ResizeObserver(look);
    sized.observe(element);
    const near = new IntersectionObserver(([entry]) => setIsNear(entry?.isIntersecting === true), {
      rootMargin: "400px",
    });
    near.observe(element);
    return () => (sized.disconnect(), near.disconnect());
  }, []);
  return { ...size, isNear };
}
