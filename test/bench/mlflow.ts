import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { mlflowPython } from "../mlflow/environment.ts";
import { type Exchange, Relay } from "../mlflow/relay.ts";
import { MlflowServer } from "../mlflow/server.ts";
import { organizations } from "../service.ts";
import type { Figures, SetFigure } from "./bench.ts";
import { bytesOf, residentMebibytes } from "./measure.ts";
import { measureMessages, type MessageSizes } from "./mlflow-messages.ts";
import { batchMessage, newRun, sendAll, post } from "./mlflow-requests.ts";
import { Subject } from "./subject.ts";

export interface MlflowBenchOptions extends MessageSizes {
  progress: (line: string) => void;
}

/** Points of the run whose bytes on disk are counted. */
const pointsForSize = 100_000;

/**
 * Measures the waits of MLflow's unmodified client, with a server that answers from memory, with
 * ours and with MLflow's own, and the cost of its messages without a client, beside our own
 * interface.
 */
export async function measureMlflow(options: MlflowBenchOptions): Promise<Figures> {
  const figures: Figures = new Map();
  const set = (name: string, value: number): void => {
    figures.set(name, value);
    options.progress(`${name}: ${value >= 100 ? Math.round(value) : value.toPrecision(3)}`);
  };
  const python = mlflowPython();
  {
    await using subject = await Subject.start();
    await measureClient(python, subject.service.baseUrl, set);
    await measureMessages(subject, options, set);
    set("MLflow RSS MiB", residentMebibytes(subject.service.processId));
  }
  await measureSizes(set);
  return figures;
}

async function measureClient(python: string, baseUrl: string, set: SetFigure): Promise<void> {
  const exchanges: Exchange[] = [];
  {
    await using relay = await Relay.recording(baseUrl, (exchange) => exchanges.push(exchange));
    await scenarios(python, relay.baseUrl, "from memory");
  }
  {
    await using memory = await Relay.remembering(exchanges);
    const alone = await scenarios(python, memory.baseUrl, "from memory");
    for (const [name, ms] of alone) set(`${name}, client alone ms`, ms);
  }
  for (const [name, ms] of await scenarios(python, baseUrl, "of Lossless")) set(`${name} ms`, ms);
  await using server = await MlflowServer.start(python);
  const theirs = await scenarios(python, server.baseUrl, "of MLflow");
  for (const [name, ms] of theirs) set(`${name}, MLflow's server ms`, ms);
}

async function scenarios(
  python: string,
  baseUrl: string,
  word: string,
): Promise<Map<string, number>> {
  const program = join(import.meta.dirname, "mlflow/scenarios.py");
  const { stdout } = await promisify(execFile)(python, [program, word], {
    env: {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: "1",
      MLFLOW_TRACKING_URI: baseUrl,
      MLFLOW_TRACKING_TOKEN: organizations.acme.key,
      MLFLOW_HTTP_REQUEST_MAX_RETRIES: "0",
    },
  });
  const lines = stdout.trim().split("\n");
  return new Map(
    lines.map((line) => {
      const { name, ms } = JSON.parse(line) as { name: string; ms: number };
      return [name, ms];
    }),
  );
}

/** Bytes of sealed objects of a run whose points came in batches of MLflow's. */
async function measureSizes(set: SetFigure): Promise<void> {
  await using subject = await Subject.start();
  const { baseUrl, dataDirectory } = subject.service;
  const runId = await newRun(baseUrl);
  await sendAll(baseUrl, pointsForSize / 1_000, (at) => batchMessage(baseUrl, runId, at));
  await sendAll(baseUrl, 1, () =>
    post(baseUrl, "runs/update", { run_id: runId, status: "FINISHED", end_time: 2_000 }),
  );
  await subject.figures.sealed(pointsForSize);
  const directory = join(dataDirectory, "segments", runId);
  set("MLflow bytes a point", bytesOf(directory, ".points") / pointsForSize);
  set("MLflow bytes an id", bytesOf(directory, ".identifiers") / pointsForSize);
}
