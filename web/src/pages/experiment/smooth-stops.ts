import { gaussPointsMax, weightMax, type Smooth } from "../../chart/view.ts";

type Kind = Smooth["kind"];

const stopsEachDecade = 20;

/** Weights whose distance from 1 falls evenly on a logarithmic scale, to two digits. */
const weights = amountsTo(1 / (1 - weightMax), (size) => {
  return Number((1 - Number((1 / size).toPrecision(2))).toFixed(5));
});
const widths = amountsTo(gaussPointsMax, (size) => Math.round(Number(size.toPrecision(2))));

/** The amounts that a slider has for a kind of smoothing, from the least. */
export function stopsOf(kind: Kind): readonly number[] {
  return kind === "gauss" ? widths : weights;
}

/** The position of a smoothing on the slider, from 1; 0 is none. It is the nearest stop. */
export function positionOf(smooth: Smooth | undefined): number {
  if (smooth === undefined) return 0;
  const size = (amount: number) => Math.log(smooth.kind === "gauss" ? amount : 1 / (1 - amount));
  const wanted = size(smooth.kind === "gauss" ? smooth.points : smooth.weight);
  const away = stopsOf(smooth.kind).map((stop) => Math.abs(size(stop) - wanted));
  return 1 + away.indexOf(Math.min(...away));
}

/** The smoothing at a position of the slider. */
export function smoothAt(kind: Kind, position: number): Smooth | undefined {
  const stops = stopsOf(kind);
  const amount = stops[Math.min(position, stops.length) - 1];
  if (amount === undefined) return undefined;
  return kind === "gauss" ? { kind, points: amount } : { kind, weight: amount };
}

/** The amount of a smoothing, in words. */
export function amountText(smooth: Smooth | undefined): string {
  if (smooth === undefined) return "none";
  return smooth.kind === "gauss" ? `± ${smooth.points}` : String(smooth.weight);
}

/** Amounts of sizes from 1 to a largest one, equally far apart on a logarithmic scale. */
function amountsTo(largest: number, amountOf: (size: number) => number): readonly number[] {
  const count = Math.round(stopsEachDecade * Math.log10(largest));
  const sizes = Array.from({ length: count }, (_, at) => 10 ** ((at + 1) / stopsEachDecade));
  return [...new Set(sizes.map(amountOf))];
}
