import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Figures } from "../figures.ts";
import { call, type JsonObject, parseLines, parseObject } from "../http.ts";
import { organizations, Service } from "../service.ts";
import { type Point, pointOf } from "./point.ts";
import { Random } from "../random.ts";
import { runVerify } from "./verify-command.ts";

export interface BitFlipOptions {
  seed: number;
  rounds: number;
  checkout?: string;
}

export interface BitFlipResult {
  flips: number;
  /** Reads and retries that ended with an error, as they should. */
  refused: number;
  violations: string[];
}

const experiments = 12;
const pointsPerExperiment = 300;

interface Subject {
  experiment: number;
  experimentId: string;
  token: string;
  answer: string;
}

/**
 * Flips one bit in every sealed object of a stopped service, starts it again and asks for
 * everything (R5): each answer must be the one from before, or an error. A wrong value, a lost
 * point and a retry that is stored a second time are violations, and so is damage that `lossless
 * verify` does not see.
 */
export async function runBitFlips({
  seed,
  rounds,
  checkout,
}: BitFlipOptions): Promise<BitFlipResult> {
  const random = new Random(seed);
  const result: BitFlipResult = { flips: 0, refused: 0, violations: [] };
  const figures = await Figures.onFreePort();
  const flags = [
    ...figures.flags,
    "--seal-points",
    "1",
    "--seal-idle-ms",
    "0",
    "--log-level",
    "silent",
    "--disk-reserve-bytes",
    "0",
  ];
  await using service = await Service.start({
    flags,
    ...(checkout === undefined ? {} : { checkout }),
  });
  const subjects: Subject[] = [];
  for (let experiment = 0; experiment < experiments; experiment++) {
    subjects.push(await record(service, seed, experiment));
  }
  await figures.sealed(experiments * pointsPerExperiment);
  await service.stop();
  const files = sealedFiles(service);
  const intact = new Map(files.map((file) => [file, readFileSync(file)]));
  for (let round = 0; round < rounds; round++) {
    for (const [file, bytes] of intact) {
      const damaged = Buffer.from(bytes);
      damaged[random.below(damaged.length)] ^= 1 << random.below(8);
      writeFileSync(file, damaged);
      result.flips += 1;
    }
    const { code, output } = await runVerify(service);
    if (code === 0)
      result.violations.push(`lossless verify finds nothing wrong: ${output.slice(-300)}`);
    await service.start();
    for (const subject of subjects) await check(service, seed, subject, result);
    await service.stop();
    for (const [file, bytes] of intact) writeFileSync(file, bytes);
  }
  const { code, output } = await runVerify(service);
  if (code !== 0)
    result.violations.push(`intact again, but lossless verify says ${code}: ${output.slice(-300)}`);
  return result;
}

async function record(service: Service, seed: number, experiment: number): Promise<Subject> {
  const slug = `experiment ${experiment}`;
  const opened = await ask(service, "experiment.open", { slug, description: "", meta: {} });
  const experimentId = String(opened.experimentId);
  const token = String(opened.experimentToken);
  const subject = { experiment, experimentId, token, answer: "" };
  await send(service, subject, pointsOf(seed, experiment));
  return { ...subject, answer: await read(service, subject) };
}

async function check(
  service: Service,
  seed: number,
  subject: Subject,
  result: BitFlipResult,
): Promise<void> {
  const answer = await read(service, subject);
  if (answer === "refused") result.refused += 1;
  else if (answer !== subject.answer)
    result.violations.push(`${subject.experimentId}: other points are read`);
  const replies = await send(service, subject, pointsOf(seed, subject.experiment));
  if (replies === undefined) result.refused += 1;
  else if (replies.some(({ data }) => data.deduplicated === false)) {
    result.violations.push(`${subject.experimentId}: a retry is stored a second time`);
  } else if (replies.some(({ data }) => data.code === "message_id_conflict")) {
    result.violations.push(`${subject.experimentId}: a retry is called a conflict`);
  }
}

function pointsOf(seed: number, experiment: number): Point[] {
  return Array.from({ length: pointsPerExperiment }, (_, number) =>
    pointOf(seed, experiment, number),
  );
}

/** undefined: refused as a whole, or event by event with an error of the storage. */
async function send(
  service: Service,
  { experimentId, token }: Subject,
  points: Point[],
): Promise<{ data: JsonObject }[] | undefined> {
  const body = points.map(({ messageId, ...point }) => ({
    messageId,
    event: "svc.v2.experiment.metric",
    data: { experimentId, ...point },
  }));
  const path = `/api/v2/experiments/${experimentId}/events`;
  const reply = await call(service.baseUrl, { path, credential: token, body });
  if (reply.status >= 500) return undefined;
  const replies = JSON.parse(reply.text) as { data: JsonObject }[];
  return replies.some(({ data }) => data.code === "data_corrupted") ? undefined : replies;
}

/** Everything that a stream says of the points, or "refused". */
async function read(service: Service, { experimentId }: Subject): Promise<string> {
  const event = "svc.v2.query.experimentseries";
  const body = { messageId: "read", event, data: { experimentId, filter: [], xAxis: "step" } };
  const reply = await call(service.baseUrl, {
    path: "/api/v2/query/series",
    credential: organizations.acme.key,
    body,
  });
  if (reply.status >= 500) return "refused";
  const lines = parseLines(reply.text);
  if (lines.at(-1)!.event === "svc.v2.error") return "refused";
  const records = lines
    .filter((line) => line.event === "svc.v2.query.series.data")
    .map(({ data }) => data);
  return JSON.stringify(records);
}

async function ask(service: Service, name: string, data: JsonObject): Promise<JsonObject> {
  const body = { messageId: "ask", event: `svc.v2.${name}`, data };
  const reply = await call(service.baseUrl, {
    path: "/api/v2/events",
    credential: organizations.acme.key,
    body,
  });
  return parseObject(reply.text).data as JsonObject;
}

/** Two objects for each experiment: its points and its identifiers. */
function sealedFiles(service: Service): string[] {
  const entries = globSync("segments/**/*", { cwd: service.dataDirectory, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
