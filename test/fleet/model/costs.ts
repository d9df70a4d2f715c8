/**
 * Prices of the real program's work, in microseconds of a processor, in bytes and milliseconds of
 * waiting. `measured.json` has the figures, and the commands that measure them.
 */
export interface Costs {
  /** The main thread of a node: HTTP, parsing, hashing of ids, replies. */
  main: { requestUs: number; eventUs: number; columnPointUs: number };
  /** Threads of V8 beside it, which compile and collect garbage. */
  collector: { requestUs: number; eventUs: number; columnPointUs: number };
  /** The reader thread, which looks tokens up: so much for a read, and for each token in it. */
  reader: { readUs: number; requestUs: number };
  /** The writer thread. A record is what one experiment gets in one group. */
  writer: { groupUs: number; requestUs: number; recordUs: number; pointUs: number };
  /** The background thread: it folds records of experiments into summaries, and seals points. */
  background: { foldUs: number; recordUs: number; pointUs: number; sealedPointUs: number };
  /** PostgreSQL: look-ups, groups, and what the background asks of it. */
  server: {
    readUs: number;
    foldUs: number;
    groupUs: number;
    recordUs: number;
    pointUs: number;
    sealedPointUs: number;
  };
  /** Bytes of PostgreSQL's write-ahead log. */
  wal: { groupBytes: number; recordBytes: number; pointBytes: number; sealedPointBytes: number };
  /** The generator of the load, which matters only where it shares the machine. */
  client: { requestUs: number; eventUs: number; columnPointUs: number };
  /** A quiet commit waits for a sync, and between its statements on one machine. */
  waits: { syncMs: number; statementsMs: number };
  /** Bytes of a point on its way to the service. */
  requestBytes: { event: number; columnPoint: number };
}

/** How points are sent. */
export interface Sending {
  form: "events" | "columns";
  pointsPerRequest: number;
}

/** Seconds of a processor for a request, of a thread that sees its points. */
export function requestS(
  cost: { requestUs: number; eventUs: number; columnPointUs: number },
  { form, pointsPerRequest }: Sending,
): number {
  const pointUs = form === "events" ? cost.eventUs : cost.columnPointUs;
  return (cost.requestUs + pointUs * pointsPerRequest) / 1e6;
}

export function requestBytes(
  { requestBytes: { event, columnPoint } }: Costs,
  { form, pointsPerRequest }: Sending,
): number {
  return pointsPerRequest * (form === "events" ? event : columnPoint);
}
