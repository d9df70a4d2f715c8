import type { Line, Partition } from "../lines/line.ts";

/**
 * The lines as a pen of this width covers them, in columns. A PNG of 300 dots an inch has several
 * columns within a line, and a peak of one of them would be a hair beside it: each column reaches
 * as far as those within half a pen. A pen as wide as a column changes nothing.
 */
export function asWideAsPen(partitions: readonly Partition[], width: number): Partition[] {
  const reach = Math.round((width - 1) / 2);
  if (reach < 1) return [...partitions];
  return partitions.map((line) => {
    // A band has no pen.
    if (line.group !== undefined) return line;
    const { smoothed } = line;
    const wide = widened(line, reach);
    return smoothed === undefined ? wide : { ...wide, smoothed: widened(smoothed, reach) };
  });
}

function widened<Some extends Line>(line: Some, reach: number): Some {
  const { reduced } = line;
  if (reduced === undefined) return line;
  const { column, min, max } = reduced;
  const over = (values: readonly number[], outer: (...values: number[]) => number) =>
    values.map((own, at) => {
      let found = own;
      // Only columns side by side: between others the way is stroked, as wide as the pen.
      for (const by of [-1, 1])
        for (let n = 1; n <= reach && column[at + n * by] === column[at] + n * by; n++)
          found = outer(found, values[at + n * by]);
      return found;
    });
  return { ...line, reduced: { ...reduced, min: over(min, Math.min), max: over(max, Math.max) } };
}
