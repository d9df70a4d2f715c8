import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { colourCount } from "../../../chart/lines/colours.ts";
import { useTheme } from "../../../chart/paint/use-theme.ts";
import type { Inks } from "./colour-scale.ts";

/** The colours of an element's theme; undefined before it is there. */
export function useInks(element: RefObject<HTMLElement | null>): Inks | undefined {
  const theme = useTheme();
  const [inks, setInks] = useState<Inks>();
  useLayoutEffect(() => setInks(inksOf(getComputedStyle(element.current!))), [theme]);
  return inks;
}

function inksOf(style: CSSStyleDeclaration): Inks {
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const card = colour("--card");
  return {
    isDark: parseInt(card.slice(1, 3), 16) < 128,
    lines: Array.from({ length: colourCount }, (_, at) => colour(`--line-${at}`)),
    text: colour("--text"),
    soft: colour("--soft"),
    card,
  };
}
