/**
 * Assumed prices in US dollars: what large clouds ask on demand in their largest American regions,
 * rounded, as known on 2026-11-30 and not fetched from anywhere. Your own go into
 * `npm run simulate -- --price coreHour=0.04`.
 */
export const assumedPrices = {
  /** A virtual processor with 4 GiB of memory, an hour. */
  coreHour: 0.05,
  /** Network disks: a GB a month, and what is beyond 125 MB/s, for each MB/s a month. */
  diskGbMonth: 0.08,
  diskMbPerSMonth: 0.04,
  /** The object store. */
  storeGbMonth: 0.023,
  storePutThousand: 0.005,
  storeGetThousand: 0.0004,
  /** A GB between two zones, both directions together: the log on its way to the standby. */
  zoneGb: 0.02,
  /** A GB through the load balancer. */
  balancerGb: 0.006,
};

export type Prices = typeof assumedPrices;

/** Changes prices by words such as `coreHour=0.04`. */
export function withPrices(words: readonly string[]): Prices {
  const prices = { ...assumedPrices };
  for (const word of words) {
    const [name, value] = word.split("=");
    const price = Number(value);
    if (!Object.hasOwn(prices, name) || value === undefined || !(price >= 0)) {
      const names = Object.keys(prices).join(", ");
      throw new Error(`--price ${word} is no price. Write NAME=DOLLARS with one of ${names}.`);
    }
    prices[name as keyof Prices] = price;
  }
  return prices;
}
