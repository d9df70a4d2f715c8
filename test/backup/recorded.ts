import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { finished, start, type Finished } from "../cli/command-line.ts";
import { ArtifactCaller } from "../contract/artifact-caller.ts";
import { type ExperimentCaller, OrganizationCaller, targetOf } from "../contract/callers.ts";
import { organizations, type Service, type ServiceOptions } from "../service.ts";

/** Segments come and go while a backup is made. */
export const sealingSoon: ServiceOptions = {
  flags: ["--seal-points", "500", "--seal-idle-ms", "200", "--disk-reserve-bytes", "0"],
};

const batchPoints = 100;

/** Runs `lossless WORDS`, without any service. */
export function lossless(...words: string[]): Promise<Finished> {
  return finished(start("", words));
}

/** The same, which has to succeed, and its answer. */
export function answerOf<Answer>(...words: string[]): Promise<Answer> {
  return answerIn<Answer>({}, words);
}

async function answerIn<Answer>(
  environment: Record<string, string>,
  words: readonly string[],
): Promise<Answer> {
  const { code, stdout, stderr } = await finished(start("", [...words, "--json"], environment));
  assert.equal(code, 0, stderr + stdout);
  return JSON.parse(stdout) as Answer;
}

export interface MadeBackup {
  generation: { id: string; points: number; bytes: number; added: { bytes: number } };
  problems: string[];
}

export function backUp(service: Service, place: string, ...words: string[]): Promise<MadeBackup> {
  const { databaseUrl, environment = {} } = service.options;
  const where = databaseUrl === undefined ? [] : ["--database-url", databaseUrl];
  const all = ["backup", place, "--data", service.dataDirectory, ...where, ...words];
  return answerIn(environment, all);
}

export function callerOf(service: Service): OrganizationCaller {
  return new OrganizationCaller(targetOf(service), organizations.acme.key);
}

export function artifactsOf(service: Service): ArtifactCaller {
  return new ArtifactCaller(targetOf(service), organizations.acme.key);
}

/** A point for every step from 0 on, with random and with counted identifiers by turns. */
export class Recorder {
  readonly experiment: ExperimentCaller;
  /** Steps below it are acknowledged. */
  acknowledged = 0;
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();

  constructor(experiment: ExperimentCaller) {
    this.experiment = experiment;
  }

  static async open(service: Service, slug: string): Promise<Recorder> {
    const meta = { lr: 0.1, nested: { layers: [1, 2, 3] } };
    return new Recorder(await callerOf(service).open(slug, "a drill", meta));
  }

  async send(batches = 1): Promise<void> {
    for (let batch = 0; batch < batches; batch++) {
      const events = Array.from({ length: batchPoints }, (_, index) => {
        const step = this.acknowledged + index;
        const id = batch % 2 === 0 ? randomUUID() : `drill-${step}`;
        return this.experiment.metric({ step, metricValue: valueAt(step) }, id);
      });
      await this.experiment.send(...events);
      this.acknowledged += batchPoints;
    }
  }

  /** Sends batch after batch, until it is stopped or the service is gone. */
  begin(): void {
    this.#isRunning = true;
    const run = async (): Promise<void> => {
      while (this.#isRunning) await this.send();
    };
    this.#running = run().catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#running;
  }
}

export function valueAt(step: number): number {
  return Math.sin(step);
}

/** Reads all points of the series and gives how many there are, having compared each. */
export async function pointsOf(
  service: Service,
  experimentId: string,
  seriesName = "loss",
): Promise<number> {
  const { partitions } = await callerOf(service).oneSeries(experimentId, seriesName);
  assert.equal(partitions.length, 1);
  const [{ step, value }] = partitions;
  for (const [index, one] of step.entries()) {
    assert.equal(one, index, "a step is missing, or there twice");
    assert.equal(value[index], valueAt(index));
  }
  return step.length;
}

export async function revisionOf(service: Service, experimentId: string): Promise<number> {
  const data = await callerOf(service).ask("query.revisions", { experimentIds: [experimentId] });
  const [{ revision }] = data.experiments as { revision: number }[];
  return revision;
}

/**
 * An experiment's visible data beside its points: its record, annotations, the folders, and a note
 * of an artifact. Times of access are left out.
 */
export async function pictureOf(service: Service, experimentId: string, artifact: string) {
  const caller = callerOf(service);
  const note = await artifactsOf(service).request("artifacts/note", { artifact, note: "n" });
  return {
    record: await caller.ask("query.experiment", { experimentId }),
    annotations: await caller.ask("query.annotations", { experimentId }),
    folders: await caller.ask("foldertree.read", {}),
    note: note.text,
  };
}

/** Makes what `pictureOf` shows. */
export async function paint(
  service: Service,
  { experiment }: Recorder,
  artifact: string,
): Promise<void> {
  const caller = callerOf(service);
  const outer = await caller.ask("folder.create", { name: "outer", parentFolderId: null });
  const inner = { name: "inner", parentFolderId: outer.folderId as string };
  await caller.ask("folder.create", inner);
  const meta = { at: [1, null], name: "größe" };
  await experiment.send(experiment.event("annotate", { annotation: "warm-up ends", meta }));
  const put = { method: "PUT", body: "kept", headers: { "content-type": "text/plain" } } as const;
  const query = { artifact, note: "n" };
  const stored = await artifactsOf(service).request("artifacts/note", query, put);
  assert.equal(stored.status, 204, stored.text);
}

/** The content of a file of an artifact's latest version. */
export async function contentOf(service: Service, artifact: string): Promise<string> {
  const { files } = await artifactsOf(service).read(artifact, "latest", { urls: "1" });
  const reply = await fetch(files[0].url!);
  assert.equal(reply.status, 200);
  return reply.text();
}

/** Waits until segments hold points. */
export async function sealed(service: Service): Promise<void> {
  const directory = join(service.dataDirectory, "segments");
  while (!existsSync(directory) || filesBelow(directory).size < 4) await sleep(50);
}

/** Paths below a directory, and their bytes. One that a service renames just now is left out. */
export function filesBelow(directory: string): Map<string, number> {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  const files = names.flatMap((name) => {
    const found = statSync(join(directory, name), { throwIfNoEntry: false });
    return found?.isFile() ? [[name, found.size] as const] : [];
  });
  return new Map(files);
}

/** Bytes of pieces and records in a place, which nothing but a backup changes. */
export function bytesIn(place: string): number {
  const stored = [...filesBelow(place)].filter(([name]) => !name.startsWith("lock.db"));
  return stored.reduce((sum, [, bytes]) => sum + bytes, 0);
}
