import type { Raster } from "@lossless/protocol/raster";
import type { DrawnSource } from "../../points/drawn-sources.ts";

/** Sources along steps, counted from their origin. */
export interface Stepped {
  sources: readonly DrawnSource[];
  origin: number;
}

/** Points below which rasters are not aligned: fewer are read without a noticeable delay. */
const alignedFromPoints = 2_097_152;
/** The same while a source grows, which is drawn again and again beside its writer. */
const growingFromPoints = 65_536;
/** Points from which a raster may lose half of its columns. */
const dearPoints = 8_388_608;
/** Part of the axis that may be left empty. */
const emptyShareMax = 0.025;

/**
 * A raster of columns that begin and end where cells of grains do, so that nothing has to be read:
 * the range begins and ends a little further out, and there are a few columns less. As asked for
 * where that gains little, or would cost too much of the picture.
 */
export function aligned(raster: Raster, lines: readonly Stepped[]): Raster {
  const sources = lines.flatMap((line) => sourcesWithin(line, raster));
  const points = sources.reduce((sum, { count }) => sum + count, 0);
  const isGrowing = sources.some((source) => source.isGrowing);
  if (points < (isGrowing ? growingFromPoints : alignedFromPoints)) return raster;
  const columnsMin = raster.columns * (points < dearPoints ? 0.8 : 0.5);
  const exponents = new Set(sources.flatMap(({ summary }) => summary?.exponent ?? []));
  // The coarsest cells that serve: they hold whole numbers of all finer ones.
  for (const exponent of [...exponents].sort((left, right) => right - left)) {
    const cell = 2 ** exponent;
    const [{ origin }] = lines;
    if (lines.some((line) => (line.origin - origin) % cell !== 0)) continue;
    const start = Math.floor((raster.start + origin) / cell) * cell - origin;
    const width = Math.ceil((raster.end - start) / (raster.columns * cell)) * cell;
    const columns = Math.ceil((raster.end - start) / width);
    const end = start + columns * width;
    const empty = raster.start - start + (end - raster.end);
    if (columns < columnsMin || empty > emptyShareMax * (end - start)) continue;
    return { ...raster, start, end, columns };
  }
  return raster;
}

function sourcesWithin({ sources, origin }: Stepped, { start, end }: Raster): DrawnSource[] {
  return sources.filter(({ min, max }) => max.step - origin >= start && min.step - origin < end);
}
