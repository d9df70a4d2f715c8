import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import {
  call,
  type HttpReply,
  type HttpRequest,
  type Json,
  type JsonObject,
  parseLines,
  parseObject,
} from "../http.ts";

/** The service of the callers; `observe` sees every reply, checked against the OpenAPI document. */
export interface Target {
  readonly baseUrl: string;
  observe(request: HttpRequest, reply: HttpReply): void;
}

/** A service that is started again listens elsewhere. */
export function targetOf(service: { readonly baseUrl: string }): Target {
  return {
    get baseUrl() {
      return service.baseUrl;
    },
    observe: () => undefined,
  };
}

export interface RequestEvent {
  messageId: string;
  event: string;
  data: JsonObject;
}

export interface ReplyEvent {
  messageId: string;
  correlationId: string;
  event: string;
  data: JsonObject;
}

/** The data of an `svc.v2.error` reply. */
export interface EventError {
  code: string;
  message: string;
  status: number;
  retryable: boolean;
  details: JsonObject;
}

/** The fields of a request-level error. */
export interface RequestError {
  status: number;
  code: string;
  message: string;
}

export const prefix = "svc.v2.";

/** An event under its short name, with a fresh messageId. */
export function event(
  name: string,
  data: JsonObject,
  messageId: string = randomUUID(),
): RequestEvent {
  return { messageId, event: prefix + name, data };
}

export function uniqueName(word: string): string {
  return `${word}-${randomUUID()}`;
}

export async function observed(target: Target, request: HttpRequest): Promise<HttpReply> {
  const reply = await call(target.baseUrl, request);
  target.observe(request, reply);
  return reply;
}

/** Reads a reply that must be the request-level error body of the specification. */
export function requestError(reply: HttpReply): RequestError {
  const body = parseObject(reply.text);
  assert.deepEqual(Object.keys(body).sort(), ["data", "error"], reply.text);
  assert.equal(body.data, null);
  const { message, details, ...rest } = body.error as JsonObject;
  assert.deepEqual(rest, {}, reply.text);
  assert.ok(typeof message === "string" && message.length > 0);
  const match = /^code=([a-z0-9_]+); request_id=(\S+)$/.exec(String(details));
  assert.ok(match, `details is ${String(details)}`);
  assert.equal(reply.headers["x-request-id"], match[2]);
  return { status: reply.status, code: match[1], message };
}

export async function refused(
  reply: HttpReply | Promise<HttpReply>,
  status: number,
  code: string,
): Promise<RequestError> {
  const received = await reply;
  assert.equal(received.status, status, received.text.slice(0, 500));
  const error = requestError(received);
  assert.equal(error.code, code, received.text);
  return error;
}

/** It checks what holds for every reply, whatever it answers; it gives replies in request order. */
export function repliesTo(events: RequestEvent[], reply: HttpReply): ReplyEvent[] {
  assert.equal(reply.status, 200, reply.text.slice(0, 500));
  assert.match(String(reply.headers["content-type"]), /^application\/json(; charset=utf-8)?$/);
  const replies = JSON.parse(reply.text) as ReplyEvent[];
  assert.ok(Array.isArray(replies), "an array gets an array of replies");
  assert.deepEqual(
    replies.map(({ correlationId }) => correlationId),
    events.map(({ messageId }) => messageId),
  );
  for (const one of replies) {
    assert.deepEqual(Object.keys(one).sort(), ["correlationId", "data", "event", "messageId"]);
    assert.ok(one.messageId.length >= 1 && one.messageId.length <= 200);
    assert.ok(one.event.startsWith(prefix));
  }
  const fresh = new Set([...replies, ...events].map(({ messageId }) => messageId));
  assert.ok(fresh.size >= replies.length + new Set(events.map((one) => one.messageId)).size);
  return replies;
}

export function eventError(reply: ReplyEvent): EventError {
  assert.equal(reply.event, `${prefix}error`, JSON.stringify(reply));
  const error = reply.data as unknown as EventError;
  assert.deepEqual(Object.keys(error).sort(), [
    "code",
    "details",
    "message",
    "retryable",
    "status",
  ]);
  assert.equal(error.retryable, error.status === 429 || error.status >= 500);
  assert.ok(error.message.length > 0);
  return error;
}

function resultOf(reply: ReplyEvent): JsonObject {
  assert.notEqual(reply.event, `${prefix}error`, JSON.stringify(reply.data));
  return reply.data;
}

/** One of the two `/events` endpoints with one credential. */
export class EventCaller {
  readonly target: Target;
  readonly path: string;
  readonly credential: string;

  constructor(target: Target, path: string, credential: string) {
    this.target = target;
    this.path = path;
    this.credential = credential;
  }

  /** Any body at all. */
  post(body: unknown, headers: Record<string, string> = {}): Promise<HttpReply> {
    const { target, path, credential } = this;
    return observed(target, { path, credential, body, headers, method: "POST" });
  }

  /** A batch that is accepted; gives its replies. */
  async send(...events: RequestEvent[]): Promise<ReplyEvent[]> {
    return repliesTo(events, await this.post(events));
  }

  /** One event, not in an array, that is answered with a result. */
  async ask(name: string, data: JsonObject, replyName?: string): Promise<JsonObject> {
    const sent = event(name, data);
    const reply = await this.post(sent);
    assert.equal(reply.status, 200, reply.text.slice(0, 500));
    const [one] = repliesTo([sent], { ...reply, text: `[${reply.text}]` });
    const result = resultOf(one);
    if (replyName !== undefined) assert.equal(one.event, prefix + replyName);
    return result;
  }

  /** One event that is accepted and then fails. */
  async fails(name: string, data: JsonObject, status: number, code: string): Promise<EventError> {
    const [reply] = await this.send(event(name, data));
    const error = eventError(reply);
    assert.equal(error.code, code, error.message);
    assert.equal(error.status, status);
    return error;
  }
}

export class OrganizationCaller extends EventCaller {
  constructor(target: Target, key: string) {
    super(target, "/api/v2/events", key);
  }

  async open(
    slug: string = uniqueName("experiment"),
    description = "",
    meta: JsonObject = {},
  ): Promise<ExperimentCaller> {
    const data = await this.ask(
      "experiment.open",
      { slug, description, meta },
      "experiment.opened",
    );
    return new ExperimentCaller(this.target, slug, data);
  }

  record(experimentId: string): Promise<JsonObject> {
    return this.ask("query.experiment", { experimentId }, "query.experiment.result");
  }

  query(name: string, data: JsonObject, messageId?: string): Promise<HttpReply> {
    return this.postQuery(event(name, data, messageId));
  }

  postQuery(body: unknown, headers: Record<string, string> = {}): Promise<HttpReply> {
    const { target, credential } = this;
    const path = "/api/v2/query/series";
    return observed(target, { path, credential, body, headers, method: "POST" });
  }

  /** It reads and checks the whole stream of an experiment's series (all without `seriesNames`). */
  async series(experimentId: string, options: SeriesOptions = {}): Promise<SeriesRead> {
    const { seriesNames, filter = [], xAxis = "step" } = options;
    const data: JsonObject = { experimentId, filter, xAxis };
    if (seriesNames !== undefined) data.seriesNames = seriesNames;
    const name = "query.experimentseries";
    const sent = event(name, data);
    const reply = await this.postQuery(sent);
    assert.equal(reply.status, 200, reply.text.slice(0, 500));
    return readSeries(reply, sent);
  }

  /** The stream of one series. */
  async oneSeries(
    experimentId: string,
    seriesName: string,
    options: Omit<SeriesOptions, "seriesNames"> = {},
  ): Promise<SeriesRead> {
    const { filter = [], xAxis = "step" } = options;
    const sent = event("query.series", { experimentId, seriesName, filter, xAxis });
    const reply = await this.postQuery(sent);
    assert.equal(reply.status, 200, reply.text.slice(0, 500));
    return readSeries(reply, sent);
  }
}

export class ExperimentCaller extends EventCaller {
  readonly experimentId: string;
  readonly slug: string;
  readonly token: string;
  readonly expiresAtMs: number;

  constructor(target: Target, slug: string, opened: JsonObject) {
    const experimentId = opened.experimentId as string;
    const token = opened.experimentToken as string;
    super(target, `/api/v2/experiments/${experimentId}/events`, token);
    this.experimentId = experimentId;
    this.slug = slug;
    this.token = token;
    this.expiresAtMs = opened.expiresAtMs as number;
  }

  withToken(experimentToken: string): ExperimentCaller {
    const { target, slug, experimentId, expiresAtMs } = this;
    return new ExperimentCaller(target, slug, { experimentId, experimentToken, expiresAtMs });
  }

  /** An event of this experiment. */
  event(name: string, data: JsonObject = {}, messageId?: string): RequestEvent {
    const { experimentId } = this;
    return event(`experiment.${name}`, { experimentId, ...data }, messageId);
  }

  /** A metric event; what is not given has a default. */
  metric(data: JsonObject = {}, messageId?: string): RequestEvent {
    const point = {
      timestampMs: 1_700_000_000_000,
      step: 0,
      metricName: "loss",
      metricValue: 1,
      meta: {},
    };
    return this.event("metric", { ...point, ...data }, messageId);
  }

  tell(name: string, data: JsonObject = {}, replyName?: string): Promise<JsonObject> {
    const { experimentId } = this;
    return this.ask(`experiment.${name}`, { experimentId, ...data }, replyName);
  }
}

export interface SeriesOptions {
  seriesNames?: string[];
  filter?: { metadataKey: string; metadataValue?: string }[];
  xAxis?: "step" | "timestamp";
}

/** One metadata partition of one series, its records put together. */
export interface Partition {
  seriesName: string;
  metadata: JsonObject;
  step: (number | null)[];
  timestampMs: number[];
  value: number[];
}

export interface SeriesRead {
  partitions: Partition[];
  /** The per-series summaries in the order of arrival. */
  summaries: JsonObject[];
  done: JsonObject;
  /** Data records as they came. */
  records: ReplyEvent[];
}

/** Reads a complete stream and checks every rule of streams (totals, order of summaries, sizes). */
export function readSeries(reply: HttpReply, sent: RequestEvent): SeriesRead {
  assert.match(String(reply.headers["content-type"]), /^application\/x-ndjson/);
  const lines = parseLines<ReplyEvent>(reply.text);
  const last = lines.at(-1)!;
  assert.equal(last.event, `${sent.event}.done`, JSON.stringify(last));
  const read: SeriesRead = { partitions: [], summaries: [], done: last.data, records: [] };
  const byPartition = new Map<string, Partition>();
  const counted = new Map<string, { batches: number; points: number }>();
  for (const line of lines) {
    assert.equal(line.correlationId, sent.messageId);
    assert.ok(line.messageId.length > 0);
    if (line.event === `${prefix}query.series.data`) {
      read.records.push(line);
      const name = line.data.seriesName as string;
      const summarised = read.summaries.some(({ seriesName }) => seriesName === name);
      assert.ok(!summarised, "data after its summary");
      const points = addRecord(line, read.partitions, byPartition);
      const count = counted.get(name) ?? { batches: 0, points: 0 };
      counted.set(name, { batches: count.batches + 1, points: count.points + points });
    } else if (line.event === `${prefix}query.experimentseries.series`) {
      const { seriesName, batches, points } = line.data;
      const count = counted.get(seriesName as string) ?? { batches: 0, points: 0 };
      assert.deepEqual({ batches, points }, count, "a summary counts what was sent");
      read.summaries.push(line.data);
    } else {
      assert.equal(line, last, `unexpected record ${line.event}`);
    }
  }
  const counts = [...counted.values()];
  assert.equal(
    last.data.batches,
    counts.reduce((sum, { batches }) => sum + batches, 0),
  );
  assert.equal(
    last.data.points,
    counts.reduce((sum, { points }) => sum + points, 0),
  );
  if (sent.event.endsWith("experimentseries")) {
    assert.equal(last.data.series, read.summaries.length);
    for (const name of counted.keys()) {
      assert.ok(
        read.summaries.some(({ seriesName }) => seriesName === name),
        `no summary: ${name}`,
      );
    }
  }
  return read;
}

function addRecord(
  line: ReplyEvent,
  partitions: Partition[],
  byPartition: Map<string, Partition>,
): number {
  const { seriesName, metadata, data } = line.data as unknown as {
    seriesName: string;
    metadata: JsonObject;
    data: { step: (number | null)[]; timestampMs: number[]; value: number[] };
  };
  assert.deepEqual(Object.keys(data).sort(), ["step", "timestampMs", "value"]);
  const points = data.value.length;
  assert.ok(points >= 1 && points <= 10_000, `a record of ${points} points`);
  assert.equal(data.step.length, points);
  assert.equal(data.timestampMs.length, points);
  const key = `${seriesName}\n${JSON.stringify(Object.entries(metadata as Record<string, Json>).sort())}`;
  let partition = byPartition.get(key);
  if (partition === undefined) {
    partition = { seriesName, metadata, step: [], timestampMs: [], value: [] };
    byPartition.set(key, partition);
    partitions.push(partition);
  }
  // Records of one partition are consecutive in a series (stream rule 3): the open one is the last.
  assert.equal(
    partitions.findLast((other) => other.seriesName === seriesName),
    partition,
  );
  partition.step.push(...data.step);
  partition.timestampMs.push(...data.timestampMs);
  partition.value.push(...data.value);
  return points;
}
