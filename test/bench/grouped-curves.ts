import { existsSync } from "node:fs";
import { mkdir, mkdtemp, mkdtempDisposable, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inParallel } from "@lossless/client/in-parallel";
import type { GroupsReply } from "@lossless/protocol";
import { call, type JsonObject } from "../http.ts";
import { organizations } from "../service.ts";
import { median } from "./measure.ts";
import { Subject } from "./subject.ts";
import type { ViewsOptions } from "./views-options.ts";
import type { Experiment } from "./workload.ts";

/** Runs in groups, and the points of each: one series. */
const sizes = [
  { runs: 10_000, points: 1_000 },
  { runs: 100_000, points: 100 },
];
const coldReads = 3;
const warmReads = 5;
const opened = 500;
const connections = 16;

/** A series of all runs reduced to the means of ten groups. Cold as for overviews. */
export async function measureGroups(
  { progress, keep }: ViewsOptions,
  set: (name: string, value: number) => void,
): Promise<void> {
  for (const size of sizes) {
    await using directory = await filled(size, keep);
    const name = `groups of ${size.runs.toLocaleString("en")} runs`;
    progress(`${name}: written and sealed`);
    const cold: number[] = [];
    const warm: number[] = [];
    for (let start = 0; start < coldReads; start++) {
      await using subject = await Subject.start({ directory: directory.path });
      await subject.openPage();
      cold.push(await readGroups(subject, size));
      for (let read = 0; read < warmReads; read++) warm.push(await readGroups(subject, size));
    }
    set(`${name}, cold ms`, median(cold));
    set(`${name}, warm ms`, median(warm));
  }
}

/**
 * A directory with the runs; one that is kept is filled once, and read again by the next bench. It
 * has its name once it is full, and nothing is removed: another bench may fill its own beside it.
 */
async function filled(
  size: (typeof sizes)[number],
  keep: string | undefined,
): Promise<AsyncDisposable & { path: string }> {
  if (keep === undefined) {
    const directory = await mkdtempDisposable(join(tmpdir(), "lossless-groups-"));
    await fill(directory.path, size);
    return directory;
  }
  const path = join(keep, `runs-${size.runs}x${size.points}`);
  if (!existsSync(path)) {
    await mkdir(keep, { recursive: true });
    const filling = await mkdtemp(join(keep, "filling-"));
    await fill(filling, size);
    await rename(filling, path);
  }
  return { path, [Symbol.asyncDispose]: async () => undefined };
}

export async function readGroups(
  subject: Subject,
  { runs, points }: (typeof sizes)[number],
): Promise<number> {
  const body = { seriesName: "loss", by: ["meta.opt"], xAxis: "step", columns: 800 };
  const startedMs = performance.now();
  const { status, text } = await call(subject.service.baseUrl, {
    path: "/api/views/v1/groups",
    credential: organizations.acme.key,
    body,
  });
  const tookMs = performance.now() - startedMs;
  const { groups } = status === 200 ? (JSON.parse(text) as GroupsReply) : { groups: [] };
  const read = groups.reduce((sum, group) => sum + group.points, 0);
  if (groups.length === 10 && read === runs * points) return tookMs;
  throw new Error(`${status}: ${read} points in ${groups.length} groups: ${text.slice(0, 500)}`);
}

export async function fill(
  directory: string,
  { runs, points }: (typeof sizes)[number],
): Promise<void> {
  await using subject = await Subject.start({ directory, flags: ["--seal-idle-ms", "0"] });
  for (let first = 0; first < runs; first += opened) {
    const experiments = await open(subject, first);
    await inParallel(connections, experiments, (experiment) => record(subject, experiment, points));
  }
  await subject.figures.sealed(runs * points);
}

async function open({ service }: Subject, first: number): Promise<Experiment[]> {
  const events = Array.from({ length: opened }, (_, at) => ({
    messageId: `open ${first + at}`,
    event: "svc.v2.experiment.open",
    data: { slug: `run ${first + at}`, description: "", meta: { opt: at % 10, seed: first + at } },
  }));
  const { key } = organizations.acme;
  const reply = await call(service.baseUrl, {
    path: "/api/v2/events",
    credential: key,
    body: events,
  });
  return (JSON.parse(reply.text) as { data: JsonObject }[]).map(({ data }) => ({
    experimentId: String(data.experimentId),
    token: String(data.experimentToken),
  }));
}

async function record(
  { service }: Subject,
  { experimentId, token }: Experiment,
  points: number,
): Promise<void> {
  const events = Array.from({ length: points }, (_, step) => ({
    messageId: `${experimentId}-${step}`,
    event: "svc.v2.experiment.metric",
    data: {
      experimentId,
      timestampMs: 1_700_000_000_000 + 1_000 * step,
      step,
      metricName: "loss",
      metricValue: Math.fround(2 / (1 + step / 100) + 0.1 * Math.random()),
      meta: {},
    },
  }));
  const path = `/api/v2/experiments/${experimentId}/events`;
  const { status, text } = await call(service.baseUrl, { path, credential: token, body: events });
  if (status !== 200) throw new Error(`${status}: ${text.slice(0, 500)}`);
}
