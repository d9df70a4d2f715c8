/** Sizes, words and colours of a picture, in CSS pixels. */
export interface PictureFrame {
  width: number;
  height: number;
  /** The sides in the unit in which they were chosen: `85mm`. */
  lengths: { width: string; height: string };
  fontFamily: string;
  fontSize: number;
  lineWidth: number;
  title: string;
  labels: { x: string; y: string };
  /** Names of the lines in the legend, in their order; an empty one is left out. */
  names: readonly string[];
  legend: LegendPlace;
  hasGrid: boolean;
  /** Whether the signs of what happened are drawn. */
  hasSigns: boolean;
  colours: PictureColours;
  widthOf: (text: string, size: number) => number;
}

export const legendPlaces = [
  "below",
  "right",
  "ends",
  "top-left",
  "top-right",
  "bottom-left",
  "bottom-right",
  "none",
] as const;
export type LegendPlace = (typeof legendPlaces)[number];

/** Colours on white, in hexadecimal. */
export interface PictureColours {
  lines: readonly string[];
  /** The colour of which heat maps have shades. */
  accent: string;
  text: string;
  soft: string;
  grid: string;
  bad: string;
}

/** A part of a picture, from its upper left corner. */
export interface PictureArea {
  left: number;
  top: number;
  width: number;
  height: number;
}
