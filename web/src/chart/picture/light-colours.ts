import { colourCount } from "../lines/colours.ts";
import type { PictureColours } from "./picture-frame.ts";

/**
 * The colours of the light theme, whichever the page is drawn with: those outside of all media
 * rules.
 */
export function lightColours(): PictureColours {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const found = (name: string): string => {
    const values = rules.flatMap((rule) =>
      rule instanceof CSSStyleRule && rule.selectorText === ":root"
        ? [rule.style.getPropertyValue(name).trim()]
        : [],
    );
    return values.findLast((value) => value !== "") ?? "#000000";
  };
  return {
    lines: Array.from({ length: colourCount }, (_, at) => found(`--line-${at}`)),
    accent: found("--accent"),
    text: found("--text"),
    soft: found("--soft"),
    grid: found("--line"),
    bad: found("--bad"),
  };
}
