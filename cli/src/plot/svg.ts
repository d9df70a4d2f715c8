import type { OverviewReply } from "@lossless/client";
import { timeText } from "../output.ts";

export interface SvgOptions {
  title: string;
  /** In CSS pixels. */
  width: number;
  height: number;
  isLog: boolean;
}

type Partition = OverviewReply["series"][number];

const margin = { left: 76, right: 18, top: 34, bottom: 40 };
const lineWidth = 1.5;
const fontSize = 12;
const colours = [
  "#0b66b5",
  "#c2410c",
  "#15803d",
  "#7c3aed",
  "#b4236b",
  "#8a6d00",
  "#0f766e",
  "#4b5563",
];

/** Columns of a picture: as many as it has pixels between its axes, twice for fine screens. */
export function svgColumns({ width }: Pick<SvgOptions, "width">): number {
  return 2 * (width - margin.left - margin.right);
}

/** The overview as an SVG file: each column is drawn from its least to its largest value. */
export function svgChart(overview: OverviewReply, options: SvgOptions): string {
  const { title, width, height, isLog } = options;
  const room = {
    wide: width - margin.left - margin.right,
    high: height - margin.top - margin.bottom,
  };
  const heights = heightsOf(overview.series, isLog);
  const { start, end, columns } = overview;
  const bent = (x: number) => (overview.xScale === "log" ? Math.log(x) : x);
  const xOf = (x: number) =>
    margin.left + (room.wide * (bent(x) - bent(start))) / (bent(end) - bent(start) || 1);
  const yOf = (value: number) => margin.top + room.high * (1 - heights.share(value));
  const columnX = (column: number) => margin.left + (room.wide * column) / columns;
  const lines = overview.series.map((partition, at) => {
    const colour = colours[at % colours.length];
    return lineMarkup(partition, { xOf, yOf, columnX, bottom: height - margin.bottom }, colour);
  });
  const [right, bottom] = [width - margin.right, height - margin.bottom];
  const axes = [
    ...heights.ticks.map(({ value, text }) => {
      const y = number(yOf(value));
      return (
        `<line x1="${margin.left}" y1="${y}" x2="${right}" y2="${y}" stroke="#dfe4e1"/>` +
        label(margin.left - 8, yOf(value) + 4, text, "end")
      );
    }),
    ...ticksOf(start, lastOf(overview), overview.xScale === "log").map((x) =>
      label(xOf(x), bottom + 18, placeText(overview, x), anchorOf(xOf(x), right)),
    ),
    `<path d="M${margin.left} ${margin.top}V${bottom}H${right}" fill="none" stroke="#3c4540"/>`,
  ];
  const names = overview.series.length > 1 ? legend(overview.series, right) : "";
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Helvetica, Arial, sans-serif" font-size="${fontSize}">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
<clipPath id="plot"><rect x="${margin.left}" y="${margin.top}" width="${room.wide}" height="${room.high}"/></clipPath>
<text x="${margin.left}" y="21" font-size="14" font-weight="bold" fill="#1b211e">${escaped(title)}</text>
${axes.join("\n")}
<g clip-path="url(#plot)">
${lines.join("\n")}
</g>
${names}
</svg>
`;
}

interface Places {
  xOf: (x: number) => number;
  yOf: (value: number) => number;
  columnX: (column: number) => number;
  bottom: number;
}

/** A dense line as a rectangle for each column, and what joins them; else a line through points. */
function lineMarkup(
  { exact, reduced, before, after }: Partition,
  { xOf, yOf, columnX, bottom }: Places,
  colour: string,
): string {
  const way: { x: number; y: number }[] = [];
  const boxes: string[] = [];
  if (before !== undefined) way.push({ x: xOf(before.x), y: yOf(before.value) });
  for (const [at, x] of (exact?.x ?? []).entries())
    way.push({ x: xOf(x), y: yOf(exact!.value[at]) });
  for (const [at, column] of (reduced?.column ?? []).entries()) {
    const { first, last, min, max } = reduced!;
    const x = (columnX(column) + columnX(column + 1)) / 2;
    way.push({ x, y: yOf(first[at]) }, { x, y: yOf(last[at]) });
    const [top, low] = [yOf(max[at]), yOf(min[at])];
    if (Number.isNaN(top)) continue;
    const down = Number.isNaN(low) ? bottom : low;
    const left = number(x - lineWidth / 2);
    boxes.push(
      `M${left} ${number(top - lineWidth / 2)}h${lineWidth}V${number(down + lineWidth / 2)}h-${lineWidth}Z`,
    );
  }
  if (after !== undefined) way.push({ x: xOf(after.x), y: yOf(after.value) });
  const path = pathOf(way);
  const lone = way.length === 1 && !Number.isNaN(way[0].y) ? way[0] : undefined;
  return [
    boxes.length > 0 ? `<path fill="${colour}" d="${boxes.join("")}"/>` : "",
    path === ""
      ? ""
      : `<path fill="none" stroke="${colour}" stroke-width="${lineWidth}" stroke-linejoin="round" d="${path}"/>`,
    lone === undefined
      ? ""
      : `<circle cx="${number(lone.x)}" cy="${number(lone.y)}" r="${2 * lineWidth}" fill="${colour}"/>`,
  ].join("");
}

/** A place that the axis does not have ends a line. */
function pathOf(way: readonly { x: number; y: number }[]): string {
  let isDrawing = false;
  return way
    .map(({ x, y }) => {
      if (Number.isNaN(y) || Number.isNaN(x)) {
        isDrawing = false;
        return "";
      }
      const verb = isDrawing ? "L" : "M";
      isDrawing = true;
      return `${verb}${number(x)} ${number(y)}`;
    })
    .join("");
}

function heightsOf(series: readonly Partition[], isLog: boolean) {
  const values = series
    .flatMap(
      ({ exact, reduced }) => exact?.value ?? [...(reduced?.min ?? []), ...(reduced?.max ?? [])],
    )
    .filter((value) => !isLog || value > 0);
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
  if (low > high) return { share: () => NaN, ticks: [] };
  const bent = (value: number) => (isLog ? Math.log10(value) : value);
  const edge = bent(high) - bent(low) || Math.abs(bent(high)) || 1;
  const [bottom, top] = [bent(low) - 0.04 * edge, bent(high) + 0.04 * edge];
  const ticks = ticksOf(low, high, isLog);
  const digits = digitsFor(ticks);
  return {
    share: (value: number) => (isLog && value <= 0 ? NaN : (bent(value) - bottom) / (top - bottom)),
    ticks: ticks.map((value) => ({ value, text: numberText(value, digits) })),
  };
}

/** Round numbers within a range: about six, or powers of ten. */
function ticksOf(low: number, high: number, isLog: boolean): number[] {
  if (!(high > low)) return [low];
  if (isLog && low > 0 && high / low > 20) {
    const first = Math.ceil(Math.log10(low) - 1e-9);
    const count = Math.floor(Math.log10(high) + 1e-9) - first + 1;
    const every = Math.max(1, Math.ceil(count / 8));
    return Array.from({ length: Math.ceil(count / every) }, (_, at) => 10 ** (first + at * every));
  }
  const wanted = (high - low) / 6;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const distance = power * ([1, 2, 5, 10].find((factor) => factor * power >= wanted) ?? 10);
  const first = Math.ceil(low / distance);
  const count = Math.min(12, Math.floor(high / distance) - first + 1);
  const ticks = Array.from({ length: Math.max(0, count) }, (_, at) =>
    Number(((first + at) * distance).toPrecision(15)),
  );
  return ticks.length > 0 ? ticks : [low];
}

/** As many digits as tell neighbouring ticks apart. */
function digitsFor(ticks: readonly number[]): number {
  const largest = Math.max(...ticks.map(Math.abs), Number.MIN_VALUE);
  const apart = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : largest;
  return Math.max(3, Math.min(15, Math.ceil(Math.log10(largest / apart)) + 2));
}

function numberText(value: number, digits: number): string {
  const size = Math.abs(value);
  const rounded = Number(value.toPrecision(digits));
  return size !== 0 && (size >= 1e7 || size < 1e-4) ? rounded.toExponential() : String(rounded);
}

function lastOf({ xAxis, end }: OverviewReply): number {
  return xAxis === "metric" ? end : end - 1;
}

function placeText({ xAxis }: OverviewReply, x: number): string {
  if (xAxis === "timestamp" && Math.abs(x) <= 8.64e15) return timeText(x);
  return Number(x.toPrecision(12)).toLocaleString("en", { maximumFractionDigits: 12 });
}

function anchorOf(x: number, right: number): string {
  return x > right - 40 ? "end" : "middle";
}

function legend(series: readonly Partition[], right: number): string {
  return series
    .slice(0, colours.length)
    .map(({ metadata }, at) => {
      const name = Object.entries(metadata)
        .map(([key, value]) => `${key}=${value}`)
        .join(" ");
      const y = margin.top + 14 + at * 16;
      const mark = `<rect x="${right - 12}" y="${y - 9}" width="12" height="10" fill="${colours[at]}"/>`;
      return mark + label(right - 18, y, name || "no metadata", "end");
    })
    .join("\n");
}

function label(x: number, y: number, text: string, anchor: string): string {
  return `<text x="${number(x)}" y="${number(y)}" text-anchor="${anchor}" fill="#3c4540">${escaped(text)}</text>`;
}

function number(value: number): string {
  return String(Number(value.toFixed(2)));
}

/** Text for XML, which has no place for most control characters. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/(?![\t\n\r])[\p{Cc}\uFFFE\uFFFF]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
