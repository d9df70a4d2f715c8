import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Whether an element is on the screen or nearby, also in a container that scrolls. */
export function useNear(element: RefObject<Element | null>, margin: string): boolean {
  const [isNear, setIsNear] = useState(false);
  useLayoutEffect(() => {
    const seen = new IntersectionObserver((entries) => setIsNear(entries.at(-1)!.isIntersecting), {
      rootMargin: margin,
    });
    seen.observe(element.current!);
    return () => seen.disconnect();
  }, [margin]);
  return isNear;
}
