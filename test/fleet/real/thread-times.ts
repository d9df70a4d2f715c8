import { readdirSync, readFileSync } from "node:fs";

/** Seconds of processors of the threads of a service. */
export interface ThreadTimes {
  main: number;
  writer: number;
  background: number;
  reader: number;
  /** Threads of V8 and libuv, and the one that reads large bodies. */
  collector: number;
}

/**
 * The storage threads of a node have no names of their own; they are in the order in which
 * `server/src/storage/threads.ts` starts them.
 */
export function threadTimes(processId: number): ThreadTimes {
  const directory = `/proc/${processId}/task`;
  const threads = readdirSync(directory)
    .map((id) => ({ id: Number(id), ...timesOf(`${directory}/${id}`) }))
    .toSorted((one, other) => one.startedAt - other.startedAt || one.id - other.id);
  const [writer, background, reader] = threads.filter(({ name }) => name === "WorkerThread");
  if (reader === undefined) throw new Error("The threads of the service are not those expected.");
  const named = [processId, writer.id, background.id, reader.id];
  const others = threads.filter(({ id }) => !named.includes(id));
  return {
    main: threads.find(({ id }) => id === processId)!.seconds,
    writer: writer.seconds,
    background: background.seconds,
    reader: reader.seconds,
    collector: others.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}

/** All that ran since the start of the machine, in seconds of its processors. */
export function machineSeconds(): number {
  const [, user, nice, system] = readFileSync("/proc/stat", "utf8").split(/\s+/).map(Number);
  return (user + nice + system) / 100;
}

function timesOf(path: string): { name: string; startedAt: number; seconds: number } {
  // Nanoseconds on a processor; the ticks of `stat` are 10 ms.
  const [ran] = readFileSync(`${path}/schedstat`, "utf8").split(" ");
  const stat = readFileSync(`${path}/stat`, "utf8");
  // Numbers of threads begin anew some time, so that a later one may be lower.
  const startedAt = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
  const name = readFileSync(`${path}/comm`, "utf8").trim();
  return { name, startedAt, seconds: Number(ran) / 1e9 };
}
