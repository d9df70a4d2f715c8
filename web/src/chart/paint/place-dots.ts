import type uPlot from "uplot";
import type { Dot } from "../cursor/dots.ts";

/** Puts elements over the plot at the places of dots; those outside of it are not shown. */
export function placeDots(plot: uPlot, dots: readonly Dot[]): void {
  const { over } = plot;
  const known = [...over.querySelectorAll<HTMLElement>(":scope > .dot")];
  const { clientWidth, clientHeight } = over;
  let shown = 0;
  for (const { x, value, kind } of dots) {
    const [left, top] = [plot.valToPos(x, "x"), plot.valToPos(value, "y")];
    const isInside = left >= 0 && left <= clientWidth && top >= 0 && top <= clientHeight;
    if (!isInside) continue;
    const dot = known[shown++] ?? over.appendChild(document.createElement("i"));
    dot.className = `dot line-${kind.colour}`;
    dot.style.transform = `translate(${left}px, ${top}px)`;
  }
  for (const surplus of known.slice(shown)) surplus.remove();
}
