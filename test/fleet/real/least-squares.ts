const roundsMax = 20_000;
const enough = 1e-12;

/**
 * Finds the prices, none below zero, by which the amounts of each row cost what was measured, as
 * well as it goes: with the least sum of squares of the relative errors. Rows are runs, columns
 * kinds of work.
 */
export function pricesOf(
  rows: readonly (readonly number[])[],
  measured: readonly number[],
): number[] {
  const relative = rows.map((row, at) => row.map((amount) => amount / measured[at]));
  const prices = rows[0].map(() => 0);
  const left = measured.map(() => 1);
  for (let round = 0; round < roundsMax; round++) {
    let moved = 0;
    for (let column = 0; column < prices.length; column++) {
      const squares = relative.reduce((sum, row) => sum + row[column] ** 2, 0);
      if (squares === 0) continue;
      const along = relative.reduce((sum, row, at) => sum + row[column] * left[at], 0);
      const price = Math.max(0, prices[column] + along / squares);
      const change = price - prices[column];
      prices[column] = price;
      for (const [at, row] of relative.entries()) left[at] -= change * row[column];
      moved = Math.max(moved, change ** 2 * squares);
    }
    if (moved < enough) break;
  }
  return prices;
}
