/** The rules of `server/src/points/merge.ts`, and `--seal-points`. */
const pointsPerSeal = 262_144;
const smallestClassPoints = 65_536;
const kinds = {
  points: { fanout: 8, mergedPointsMax: 4_194_304 },
  identifiers: { fanout: 4, mergedPointsMax: 8_388_608 },
};
/** Whole objects are read in pieces. */
const pieceBytes = 8 * 2 ** 20;

/** Bytes of a sealed point: its number, step and time, and its id. */
export interface PointBytes {
  points: number;
  identifiers: number;
}

/** Requests to a store for one experiment, from first point to last, and what they leave. */
export interface StoreUse {
  puts: number;
  /** GET and HEAD: merges read what they join. Reads of people come on top. */
  gets: number;
  objects: number;
  bytes: number;
  writtenBytes: number;
}

/** Seals an experiment of so many points, and merges what becomes due, as the service does. */
export function storeUse(points: number, bytesOf: PointBytes): StoreUse {
  const use: StoreUse = { puts: 0, gets: 0, objects: 0, bytes: 0, writtenBytes: 0 };
  for (const kind of ["points", "identifiers"] as const) {
    const segments: number[] = [];
    const bytes = (count: number): number => count * bytesOf[kind];
    for (let left = points; left > 0; left -= pointsPerSeal) {
      const sealed = Math.min(left, pointsPerSeal);
      segments.push(sealed);
      use.puts++;
      use.writtenBytes += bytes(sealed);
      for (let due = dueSegments(segments, kind); due; due = dueSegments(segments, kind)) {
        const merged = segments.slice(due.from, due.to);
        const sum = merged.reduce((total, one) => total + one, 0);
        segments.splice(due.from, merged.length, sum);
        use.puts++;
        use.writtenBytes += bytes(sum);
        for (const one of merged) use.gets += 1 + Math.ceil(bytes(one) / pieceBytes);
      }
    }
    use.objects += segments.length;
    use.bytes += bytes(points);
  }
  return use;
}

/** Neighbours of one class of sizes or below it, the smallest class first. */
function dueSegments(
  segments: readonly number[],
  kind: keyof typeof kinds,
): { from: number; to: number } | undefined {
  const { fanout, mergedPointsMax } = kinds[kind];
  const classes = segments.map((points) => sizeClass(points, fanout));
  for (const limit of [...new Set(classes)].toSorted((one, other) => one - other)) {
    let from = 0;
    for (let end = 0; end < segments.length; end++) {
      if (classes[end] > limit) from = end + 1;
      if (end - from + 1 < fanout) continue;
      const sum = segments.slice(from, end + 1).reduce((total, one) => total + one, 0);
      if (sum <= mergedPointsMax) return { from, to: end + 1 };
      from++;
    }
  }
  return undefined;
}

function sizeClass(points: number, fanout: number): number {
  return Math.max(0, Math.ceil(Math.log2(points / smallestClassPoints) / Math.log2(fanout)));
}
