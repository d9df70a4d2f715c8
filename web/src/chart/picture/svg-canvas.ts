import type { Canvas } from "../paint/paint-line.ts";

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * A canvas whose picture is markup of an SVG. Columns side by side become one outline, so that a
 * line is one path without seams, and everything painted in one look is one element.
 */
export class SvgCanvas implements Canvas {
  fillStyle = "#000000";
  strokeStyle = "#000000";
  lineWidth = 1;
  lineJoin: CanvasLineJoin = "miter";
  globalAlpha = 1;
  #dash: readonly number[] = [];
  /** The look of what is not yet written. */
  #look = "";
  /** Columns side by side, from left to right. */
  #run: Box[] = [];
  #filled = "";
  #stroked = "";
  #path = "";
  readonly #elements: string[] = [];
  #elementOf: () => string = () => "";

  setLineDash(segments: Iterable<number>): void {
    this.#dash = [...segments];
  }

  fillRect(left: number, top: number, width: number, height: number): void {
    this.#begin();
    const last = this.#run.at(-1);
    if (last !== undefined && Math.abs(last.right - left) > nearest) this.#endRun();
    this.#run.push({ left, top, right: left + width, bottom: top + height });
  }

  beginPath(): void {
    this.#path = "";
  }

  moveTo(x: number, y: number): void {
    this.#path += `M${numberText(x)} ${numberText(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `L${numberText(x)} ${numberText(y)}`;
  }

  /** Adds a whole circle; nothing here paints a part of one. */
  arc(x: number, y: number, radius: number): void {
    const [r, width] = [numberText(radius), numberText(2 * radius)];
    // In the direction of the outlines: where both cover a place, it stays covered.
    const half = `a${r} ${r} 0 1 1`;
    this.#path += `M${numberText(x - radius)} ${numberText(y)}${half} ${width} 0${half} -${width} 0Z`;
  }

  stroke(): void {
    this.#begin();
    this.#stroked += this.#path;
  }

  fill(): void {
    this.#begin();
    this.#filled += this.#path;
  }

  /** Everything painted so far. */
  markup(): string {
    this.#flush();
    return this.#elements.join("\n");
  }

  #begin(): void {
    const { fillStyle, strokeStyle, globalAlpha, lineWidth, lineJoin } = this;
    const fill = `fill="${fillStyle}"${opacityOf("fill", globalAlpha)}`;
    const dash = this.#dash.length === 0 ? "" : ` stroke-dasharray="${this.#dash.join(" ")}"`;
    const stroke =
      `fill="none" stroke="${strokeStyle}" stroke-width="${numberText(lineWidth)}" ` +
      `stroke-linejoin="${lineJoin}"${opacityOf("stroke", globalAlpha)}${dash}`;
    if (this.#look === fill + stroke) return;
    this.#flush();
    this.#look = fill + stroke;
    this.#elementOf = () => elementOf(this.#filled, fill) + elementOf(this.#stroked, stroke);
  }

  #endRun(): void {
    if (this.#run.length > 0) this.#filled += outlineOf(this.#run);
    this.#run = [];
  }

  #flush(): void {
    this.#endRun();
    const element = this.#elementOf();
    if (element !== "") this.#elements.push(element);
    [this.#filled, this.#stroked] = ["", ""];
  }
}

/** Distance below which two columns touch: edges are computed as sums. */
const nearest = 1e-6;

/** A hundredth of a unit cannot be seen. */
export function numberText(value: number): string {
  return String(Number(value.toFixed(2)));
}

function elementOf(path: string, look: string): string {
  return path === "" ? "" : `<path ${look} d="${path}"/>`;
}

function opacityOf(kind: "fill" | "stroke", opacity: number): string {
  return opacity === 1 ? "" : ` ${kind}-opacity="${numberText(opacity)}"`;
}

/** The outline of columns side by side: along their upper edges, and back along the lower ones. */
function outlineOf(boxes: readonly Box[]): string {
  const ways = [
    ...boxes.map(({ top, right }) => ({ y: numberText(top), x: numberText(right) })),
    ...boxes.toReversed().map(({ bottom, left }) => {
      return { y: numberText(bottom), x: numberText(left) };
    }),
  ];
  const parts = [`M${numberText(boxes[0].left)} ${ways[0].y}`];
  for (const [at, { y, x }] of ways.entries()) {
    if (at > 0 && y !== ways[at - 1].y) parts.push(`V${y}`);
    // Columns of one height are one edge; at the right end the way turns back.
    if (at + 1 === boxes.length || ways[at + 1]?.y !== y) parts.push(`H${x}`);
  }
  return `${parts.join("")}Z`;
}
