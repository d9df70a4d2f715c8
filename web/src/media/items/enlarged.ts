/** Pixels of the longer side up to which small pictures are enlarged, alone and among others. */
const [enlargedTo, enlargedAmongOthers] = [256, 128];

/**
 * How many screen pixels a pixel of a picture gets: a whole number, so that all are equally large.
 * A picture of 28 × 28 is shown nine times as large.
 */
export function enlargement(width: number, height: number, isAmongOthers: boolean): number {
  const wanted = isAmongOthers ? enlargedAmongOthers : enlargedTo;
  return Math.max(1, Math.floor(wanted / Math.max(width, height, 1)));
}
