import type { RepeatedStretch } from "../lines/passes.ts";
import type { Canvas, Scale } from "./paint-line.ts";

const bandShare = 0.1;
const edgeShare = 0.6;
/** Height of the strip at the lower edge, in CSS pixels: a band alone is faint. */
const edgeHeight = 3;

/** Shades stretches whose steps were recorded more than once, behind the lines. */
export function paintRepeated(
  canvas: Canvas,
  stretches: readonly RepeatedStretch[],
  scale: Scale,
  { top, colour, ratio }: { top: number; colour: string; ratio: number },
): void {
  canvas.fillStyle = colour;
  for (const { first, last } of stretches) {
    const left = scale.columnX(first);
    const width = Math.max(1, scale.columnX(last + 1) - left);
    canvas.globalAlpha = bandShare;
    canvas.fillRect(left, top, width, scale.bottom - top);
    canvas.globalAlpha = edgeShare;
    canvas.fillRect(left, scale.bottom - edgeHeight * ratio, width, edgeHeight * ratio);
  }
  canvas.globalAlpha = 1;
}
