import { legendPlaces, type LegendPlace } from "./picture-frame.ts";

/** Choices for pictures that hold for one after the other, kept in this browser. */
export interface PictureStyle {
  unit: Unit;
  /** The sides in that unit. */
  width: number;
  height: number;
  /** Dots an inch of a PNG; a picture measured in pixels has its own. */
  dpi: number;
  font: FontName;
  /** Points of 1/72 inch. */
  fontPoints: number;
  linePoints: number;
  legend: LegendPlace;
  hasGrid: boolean;
  hasSigns: boolean;
}

/** CSS pixels of each unit. */
const units = { mm: 96 / 25.4, in: 96, px: 1 } as const;
export type Unit = keyof typeof units;
export const unitNames = Object.keys(units) as Unit[];

/** Fonts that a system or a printer has; the last of each is any of its kind. */
export const fonts = {
  sans: { title: "sans serif", family: 'Helvetica, Arial, "Liberation Sans", sans-serif' },
  serif: { title: "serif (Times)", family: '"Times New Roman", Times, "Liberation Serif", serif' },
  latin: {
    title: "LaTeX (Latin Modern)",
    family: '"Latin Modern Roman", "CMU Serif", "Computer Modern", serif',
  },
} as const;
export type FontName = keyof typeof fonts;

/** Usual sizes of figures: of journals in millimetres and inches, of slides in pixels. */
export const sizes: readonly (Pick<PictureStyle, "unit" | "width" | "height"> & {
  title: string;
})[] = [
  { title: "one column, 85 mm", unit: "mm", width: 85, height: 60 },
  { title: "two columns, 178 mm", unit: "mm", width: 178, height: 80 },
  { title: "one column, 3.5 in", unit: "in", width: 3.5, height: 2.5 },
  { title: "two columns, 7.16 in", unit: "in", width: 7.16, height: 3 },
  { title: "half a slide, 960 × 540 px", unit: "px", width: 960, height: 540 },
  { title: "a slide, 1920 × 1080 px", unit: "px", width: 1_920, height: 1_080 },
];

const usualStyle: PictureStyle = {
  unit: "mm",
  width: 85,
  height: 60,
  dpi: 300,
  font: "sans",
  fontPoints: 8,
  linePoints: 1,
  legend: "below",
  hasGrid: true,
  hasSigns: false,
};

/** Pixels of a side of a PNG at most: browsers draw no larger ones. */
export const sidePixelsMax = 8_192;
/** CSS pixels of a side: smaller pictures have no room for axes. */
const sideMin = 96;

const ranges = {
  dpi: [72, 1_200],
  fontPoints: [4, 48],
  linePoints: [0.1, 8],
} as const satisfies Partial<Record<keyof PictureStyle, readonly [number, number]>>;
export type RangeName = keyof typeof ranges;

/** Sides of a picture in CSS pixels, and as pixels of a PNG. */
export interface PictureSize {
  width: number;
  height: number;
  pixels: { width: number; height: number };
  /** Dots an inch of the PNG. */
  dpi: number;
}

export function sizeOf({ unit, width, height, dpi }: PictureStyle): PictureSize {
  const dots = unit === "px" ? 96 : dpi;
  const side = (length: number) => length * units[unit];
  const pixels = (length: number) => Math.round((side(length) * dots) / 96);
  return {
    width: side(width),
    height: side(height),
    pixels: { width: pixels(width), height: pixels(height) },
    dpi: dots,
  };
}

/** The sides in another unit. */
export function inUnit(
  style: PictureStyle,
  unit: Unit,
): Pick<PictureStyle, "unit" | "width" | "height"> {
  const side = (length: number) => {
    const converted = (length * units[style.unit]) / units[unit];
    return Number(converted.toFixed(unit === "px" ? 0 : 2));
  };
  return { unit, width: side(style.width), height: side(style.height) };
}

/** Why there is no picture of this size; undefined: there is one. */
export function sizeProblem(style: PictureStyle): string | undefined {
  const { width, height, pixels } = sizeOf(style);
  for (const [name, [least, most]] of Object.entries(ranges)) {
    const value = style[name as RangeName];
    if (!(value >= least && value <= most)) return `${rangeNames[name]}: from ${least} to ${most}.`;
  }
  if (!(Math.min(width, height) >= sideMin))
    return "Each side must be at least 1 inch, 25.4 mm or 96 px long.";
  if (Math.max(pixels.width, pixels.height) > sidePixelsMax)
    return `The longer side would have ${Math.max(pixels.width, pixels.height).toLocaleString("en")} pixels, at most ${sidePixelsMax.toLocaleString("en")}. Choose a smaller size or fewer dots per inch.`;
  return undefined;
}

const rangeNames: Record<string, string> = {
  dpi: "Dots per inch",
  fontPoints: "Font size",
  linePoints: "Line width",
};

/**
 * Columns for which values are asked: as many as pixels, and on a screen twice as many. They are
 * rounded up, so that few of the sizes on the way to a typed one ask again.
 */
export function columnsOf(style: PictureStyle): number {
  const { pixels } = sizeOf(style);
  const wanted = style.unit === "px" ? 2 * pixels.width : pixels.width;
  const rounded = Math.ceil(wanted / columnsTogether) * columnsTogether;
  return rounded > 0 ? Math.min(sidePixelsMax, rounded) : columnsTogether;
}

const columnsTogether = 128;

const name = "lossless-picture";

export function storedStyle(): PictureStyle {
  try {
    return styleIn(window.localStorage.getItem(name));
  } catch {
    return usualStyle;
  }
}

export function storeStyle(style: PictureStyle): void {
  try {
    window.localStorage.setItem(name, JSON.stringify(style));
  } catch {
    // Without storage the choices last until the page is left.
  }
}

/** The style of a stored text; what another version or a person wrote there counts as the usual. */
export function styleIn(text: string | null): PictureStyle {
  let read: unknown;
  try {
    read = JSON.parse(text ?? "{}");
  } catch {
    return usualStyle;
  }
  const known = Object.entries(usualStyle).map(([key, usual]) => {
    const value = (read as Record<string, unknown> | null)?.[key];
    return [key, typeof value === typeof usual ? value : usual];
  });
  const style = Object.fromEntries(known) as unknown as PictureStyle;
  const isKnown = style.unit in units && style.font in fonts && legendPlaces.includes(style.legend);
  return isKnown && sizeProblem(style) === undefined ? style : usualStyle;
}
