import { useLayoutEffect, useState } from "preact/hooks";

/** Widths of a narrow screen, the same as in the styles. */
const narrow = "(max-width: 48rem)";

/**
 * Height in CSS pixels of rows whose height the styles give in rem. Follows the browser's font size
 * and the window's width.
 */
export function useRowPixels(rem: number, narrowRem = rem): number {
  const [pixels, setPixels] = useState(remPixels);
  const [isNarrow, setIsNarrow] = useState(() => window.matchMedia(narrow).matches);
  useLayoutEffect(() => {
    const probe = document.createElement("div");
    // Wide enough to make rounding by the layout negligible.
    Object.assign(probe.style, { position: "fixed", visibility: "hidden", width: "100rem" });
    document.body.append(probe);
    const sized = new ResizeObserver(([{ contentRect }]) => setPixels(contentRect.width / 100));
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
  return (isNarrow ? narrowRem : rem) * pixels;
}

/** CSS pixels of a rem. */
export function remPixels(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}
