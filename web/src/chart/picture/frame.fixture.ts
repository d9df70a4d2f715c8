import { textWidth } from "../axes/tick-texts.ts";
import type { PictureFrame } from "./picture-frame.ts";

/** A frame of 400 by 300 pixels. */
export const frame: PictureFrame = {
  width: 400,
  height: 300,
  lengths: { width: "400px", height: "300px" },
  fontFamily: 'Helvetica, "Liberation Sans", sans-serif',
  fontSize: 12,
  lineWidth: 1,
  title: "",
  labels: { x: "step", y: "loss" },
  names: [],
  legend: "below",
  hasGrid: true,
  hasSigns: true,
  colours: {
    lines: Array.from({ length: 10 }, (_, at) => `#0000${at}0`),
    accent: "#2200bb",
    text: "#111111",
    soft: "#555555",
    grid: "#dddddd",
    bad: "#aa0000",
  },
  widthOf: (text, size) => (textWidth(text) * size) / 12,
};
