import { useLayoutEffect, useState } from "preact/hooks";

/** Below this width a page has the rows of a narrow screen, in rem: that of the styles. */
const narrow = "(max-width: 48rem)";

/**
 * The height of rows that the styles give so many rem, in CSS pixels: also after the browser's font
 * size, or the width of the window, is another.
 */
export function useRowPixels(rem: number, narrowRem = rem): number {
  const [remPixels, setRemPixels] = useState(
    () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16,
  );
  const [isNarrow, setIsNarrow] = useState(() => window.matchMedia(narrow).matches);
  useLayoutEffect(() => {
    const probe = document.createElement("div");
    // So wide that no rounding of the layout is seen in one of them.
    Object.assign(probe.style, { position: "fixed", visibility: "hidden", width: "100rem" });
    document.body.append(probe);
    const sized = new ResizeObserver(([{ contentRect }]) => setRemPixels(contentRect.width / 100));
    sized.observe(probe);
    const media = window.matchMedia(narrow);
    const turned = () => setIsNarrow(media.matches);
    media.addEventListener("change", turned);
    return () => {
      sized.disconnect();
      probe.remove();
      media.removeEventListener("change", turned);
    };
  }, []);
  return (isNarrow ? narrowRem : rem) * remPixels;
}
