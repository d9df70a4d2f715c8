import { useState } from "preact/hooks";
import { storedStyle, storeStyle, type PictureStyle } from "./picture-style.ts";

/** The choices for pictures, and a function that changes and keeps them. */
export function usePictureStyle() {
  const [style, setStyle] = useState(storedStyle);
  const change = (part: Partial<PictureStyle>) => {
    const changed = { ...style, ...part };
    setStyle(changed);
    storeStyle(changed);
  };
  return { style, change };
}
