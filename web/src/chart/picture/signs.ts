import type { MarkKind, PlacedMark } from "../lane/marks.ts";
import { numberText } from "./svg-canvas.ts";
import type { PictureArea, PictureFrame } from "./picture-frame.ts";

/** Shapes of what happened, around 0 and a unit wide: no font is needed for them. */
const shapes: Record<MarkKind, string> = {
  error: "M-.5-.35L-.35-.5L0-.15L.35-.5L.5-.35L.15 0L.5.35L.35.5L0 .15L-.35.5L-.5.35L-.15 0Z",
  nonfinite: "M-.5.4L.0-.5L.5.4Z",
  version: "M-.45 0L.0-.55L.45 0L0 .55Z",
  annotation: "M-.4-.55H-.28V-.5H.45L.2-.22L.45.05H-.28V.55H-.4Z",
  media: "M-.42-.42H.42V.42H-.42Z",
  done: "M-.5.05L-.36-.1L-.14.14L.37-.45L.5-.33L-.13.42Z",
  start: "M-.35-.5L.45 0L-.35.5Z",
};

/** Markup of the signs in a row; signs of one kind in one place are one. */
export function signsMarkup(
  happened: readonly PlacedMark[],
  row: PictureArea,
  placeOf: (x: number) => number,
  { fontSize: em, colours }: PictureFrame,
): string {
  const taken = new Set<string>();
  const drawn = happened.flatMap(({ mark: { kind }, x }) => {
    const place = placeOf(x);
    if (!(place >= 0 && place <= 1)) return [];
    const left = row.left + place * row.width;
    const key = `${kind} ${Math.round(left)}`;
    if (taken.has(key)) return [];
    taken.add(key);
    const middle = row.top + row.height / 2;
    const isBad = kind === "error" || kind === "nonfinite";
    const move = `translate(${numberText(left)} ${numberText(middle)}) scale(${numberText(0.85 * em)})`;
    return [
      `<path transform="${move}" fill="${isBad ? colours.bad : colours.text}" d="${shapes[kind]}"/>`,
    ];
  });
  return drawn.join("\n");
}
