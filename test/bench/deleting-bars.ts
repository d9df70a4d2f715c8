import type { Bar } from "./bar.ts";

export const backends = ["SQLite", "PostgreSQL", "PostgreSQL and S3"] as const;

/** The bars of a purge, on each database. */
export const deletingBars: Bar[] = backends.flatMap((backend): Bar[] => [
  {
    name: `given back of what was purged, in a minute, ${backend}`,
    figure: `${backend}: freed MiB in a minute`,
    floor: `${backend}: purged MiB`,
    must: 0.95,
    good: 0.99,
  },
  {
    name: `time to the last of it, ${backend}`,
    figure: `${backend}: freed after s`,
    must: 60,
    good: 15,
    unit: "s",
    isUpperBound: true,
  },
]);
