import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import {
  call,
  type HttpReply,
  type HttpRequest,
  type Json,
  type JsonObject,
  parseLines,
  parseObject,
} from "../http.ts";
import { organizations } from "../service.ts";
import { asReplies, columnsRequest, mayBeColumns } from "./columns.ts";
import type { Journal, SentEvent } from "./journal.ts";
import { numberOf, pointOf } from "./point.ts";
import { print, type PrintedInto } from "./printing.ts";
import type { Random } from "../random.ts";

/** An experiment is under load; points and annotations are numbered from 0, each sent anew once. */
export interface Target extends PrintedInto {
  slug: string;
  nextPoint: number;
  nextAnnotation: number;
  acknowledged: Set<number>;
  /** It is set while a lifecycle event is sent: the next waits, so the journal knows the order. */
  isChangingStatus: boolean;
}

export interface LoadOptions {
  baseUrl: string;
  /** A second node of the same service: it gets the points of every batch at the same time. */
  mirrorUrl?: string;
  seed: number;
  random: Random;
  journal: Journal;
  writers: number;
  /**
   * The service goes on, but its database fails over: points whose request was not acknowledged are
   * sent again until they are, as clients do. Tokens stay as they are, and revisions unread.
   */
  resends?: boolean;
  /** The most times that a batch is sent again; one more is a violation. */
  resendsMax?: number;
  /** A writer or reader rests for so long after each request: 0 if it is left out. */
  pauseMs?: number;
  /** Neither folders nor consoles: another load on the same service makes them. */
  eventsAlone?: boolean;
  /** Reads of a running service that should not have been possible. */
  violations: string[];
}

/**
 * Writers and readers on one service, until `stop` or until the service is gone. Every request is
 * journalled before it is sent and when its outcome is known.
 */
export class Load {
  /** Streams of points that were read to their end. */
  reads = 0;
  readonly #options: LoadOptions;
  readonly #targets: Target[];
  readonly #agent: Agent;
  #isRunning = true;

  constructor(options: LoadOptions, targets: Target[]) {
    this.#options = options;
    this.#targets = targets;
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: options.writers + 4 + 3 * targets.length,
    });
  }

  async run(): Promise<void> {
    const writers = Array.from({ length: this.#options.writers }, () => this.#write());
    const { resends, eventsAlone } = this.#options;
    const others = [this.#read()];
    if (eventsAlone !== true) others.push(this.#createFolders(), this.#print());
    if (resends !== true) others.push(this.#refreshTokens());
    await Promise.all([...writers, ...others]);
    this.#agent.destroy();
  }

  /** No further requests; those on their way come to their end, good or bad. */
  stop(): void {
    this.#isRunning = false;
  }

  async #write(): Promise<void> {
    const { random } = this.#options;
    while (this.#isRunning) {
      const target = random.pick(this.#targets);
      const events = this.#batch(target);
      const points = events.filter(({ kind }) => kind === "metric");
      const { baseUrl, mirrorUrl } = this.#options;
      const [isAnswered] = await Promise.all([
        this.#send(target, events, baseUrl),
        mirrorUrl === undefined ? true : this.#send(target, points, mirrorUrl),
      ]);
      if (!isAnswered && this.#options.resends !== true) return;
      if (!isAnswered) await this.#resend(target, points, baseUrl);
      // The same request again, as after a lost reply: everything must be recognised.
      if (random.chance(0.1)) await this.#send(target, points, baseUrl);
      await this.#rest();
    }
  }

  #print(): Promise<void> {
    const { pauseMs = 0, resends = false } = this.#options;
    const how = { ...this.#options, agent: this.#agent, pauseMs, resends };
    return print({ ...how, isRunning: () => this.#isRunning }, this.#targets);
  }

  async #rest(): Promise<void> {
    const { pauseMs = 0 } = this.#options;
    if (pauseMs > 0) await sleep(pauseMs);
  }

  async #resend(target: Target, points: SentEvent[], baseUrl: string): Promise<void> {
    const { resendsMax = Infinity, violations } = this.#options;
    let resends = 0;
    do {
      await sleep(50);
      if (++resends > resendsMax) violations.push(`a batch was refused ${resends} times`);
    } while (this.#isRunning && !(await this.#send(target, points, baseUrl)));
  }

  #batch(target: Target): SentEvent[] {
    const { random } = this.#options;
    const events: SentEvent[] = [];
    const count = random.chance(0.2) ? 1 + random.below(200) : 1 + random.below(20);
    for (let index = 0; index < count; index++) {
      events.push({ kind: "metric", number: target.nextPoint++ });
    }
    // Late and repeated points among new ones: some of them acknowledged, some of unknown fate.
    const repeats = random.chance(0.3) ? random.below(20) : 0;
    const numbers = new Set(
      Array.from({ length: repeats }, () => random.below(target.nextPoint - count + 1)),
    );
    for (const number of numbers) {
      if (number < target.nextPoint - count) events.push({ kind: "metric", number });
    }
    if (random.chance(0.2)) {
      const position = random.below(events.length + 1);
      events.splice(position, 0, { kind: "annotate", number: target.nextAnnotation++ });
    }
    if (!target.isChangingStatus && random.chance(0.1)) {
      target.isChangingStatus = true;
      events.push({ kind: random.pick(["start", "done", "error"] as const) });
    }
    return events;
  }

  /** False when the service did not answer, which ends the writer. */
  async #send(target: Target, events: SentEvent[], baseUrl: string): Promise<boolean> {
    if (events.length === 0) return true;
    const { journal, seed, violations, random } = this.#options;
    const request = journal.nextRequest();
    const isColumns = mayBeColumns(events) && random.chance(0.5);
    const sent = isColumns
      ? columnsRequest(seed, target, events)
      : eventsRequest(seed, target, events, request);
    journal.write({ at: "send", request, experiment: target.experiment, events });
    let reply: HttpReply;
    try {
      reply = await call(baseUrl, { ...sent, agent: this.#agent });
    } catch (error) {
      journal.write({ at: "unknown", request, reason: String(error) });
      return false;
    }
    if (reply.status >= 500) {
      journal.write({ at: "unknown", request, reason: `HTTP ${reply.status}` });
      return false;
    }
    if (reply.status !== 200) {
      violations.push(`a good request was refused: ${reply.status} ${reply.text.slice(0, 300)}`);
      return false;
    }
    const replies = isColumns
      ? asReplies(reply)
      : (JSON.parse(reply.text) as { event: string; data: JsonObject }[]);
    const failed = replies.find(({ event }) => event === "svc.v2.error");
    if (failed !== undefined) {
      if (failed.data.retryable !== true)
        violations.push(`a good event failed: ${JSON.stringify(failed)}`);
      journal.write({ at: "unknown", request, reason: JSON.stringify(failed.data) });
      return false;
    }
    const fresh = replies.map(({ data }) => (data.deduplicated === false ? 1 : 0));
    journal.write({ at: "ok", request, fresh });
    for (const event of events) {
      if (event.kind === "metric") target.acknowledged.add(event.number);
      else if (event.kind !== "annotate") target.isChangingStatus = false;
    }
    return true;
  }

  /** Checks that points acknowledged before a read began are in it, once, while writes go on. */
  async #read(): Promise<void> {
    const { journal, random, violations } = this.#options;
    while (this.#isRunning) {
      const target = random.pick(this.#targets);
      const before = new Set(target.acknowledged);
      const { experimentId } = target;
      try {
        const numbers = await this.#readNumbers(experimentId);
        this.reads++;
        const seen = new Set(numbers);
        const missing = [...before].filter((number) => !seen.has(number));
        if (missing.length > 0) {
          violations.push(
            `a running service misses acknowledged points ${missing.slice(0, 5).join()} of ${experimentId}`,
          );
        }
        if (seen.size < numbers.length)
          violations.push(`a running service doubles points of ${experimentId}`);
        if (this.#options.resends === true) continue;
        const data = await this.#ask("query.revisions", { experimentIds: [experimentId] });
        const [one] = data.experiments as JsonObject[];
        journal.write({
          at: "revision",
          experiment: target.experiment,
          revision: Number(one.revision),
        });
      } catch {
        if (this.#options.resends !== true) return;
      } finally {
        await sleep(20);
        await this.#rest();
      }
    }
  }

  async #readNumbers(experimentId: string): Promise<number[]> {
    const event = "svc.v2.query.experimentseries";
    const data = { experimentId, filter: [], xAxis: "step" };
    const body = { messageId: "read", event, data };
    const reply = await this.#post("/api/v2/query/series", organizations.acme.key, body);
    const lines = parseLines(reply.text);
    if (lines.at(-1)?.event !== `${event}.done`) throw new Error("the stream is incomplete");
    return lines.flatMap((line) => {
      if (line.event !== "svc.v2.query.series.data") return [];
      const { timestampMs } = (line.data as JsonObject).data as JsonObject;
      return (timestampMs as number[]).map(numberOf);
    });
  }

  /** Refreshes tokens, opens experiments again, and revokes the tokens that these openings gave. */
  async #refreshTokens(): Promise<void> {
    const { journal, random } = this.#options;
    while (this.#isRunning) {
      const target = random.pick(this.#targets);
      const { experimentId, slug, token: experimentToken, experiment } = target;
      try {
        journal.write({ at: "token", experiment, token: experimentToken, state: "ending" });
        const refreshed = await this.#ask("experiment.tokenRefresh", {
          experimentId,
          experimentToken,
        });
        target.token = String(refreshed.experimentToken);
        journal.write({ at: "token", experiment, token: target.token, state: "valid" });
        const opened = await this.#ask("experiment.open", {
          slug,
          description: slug,
          meta: { experiment },
        });
        const token = String(opened.experimentToken);
        journal.write({ at: "token", experiment, token, state: "ending" });
        const body = {
          messageId: "revoke",
          event: "svc.v2.experiment.tokenRevoke",
          data: { experimentId },
        };
        const reply = await this.#post(`/api/v2/experiments/${experimentId}/events`, token, body);
        if (reply.status === 200)
          journal.write({ at: "token", experiment, token, state: "revoked" });
      } catch {
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }

  async #createFolders(): Promise<void> {
    const { journal, random } = this.#options;
    while (this.#isRunning) {
      const name = `folder ${random.bits()}`;
      journal.write({ at: "folder", name, acknowledged: false });
      try {
        await this.#ask("folder.create", { name, parentFolderId: null });
        journal.write({ at: "folder", name, acknowledged: true });
      } catch {
        if (this.#options.resends !== true) return;
      }
      await sleep(50);
    }
  }

  async #ask(name: string, data: JsonObject): Promise<JsonObject> {
    const body = { messageId: "ask", event: `svc.v2.${name}`, data };
    const reply = parseObject(
      (await this.#post("/api/v2/events", organizations.acme.key, body)).text,
    );
    if (reply.data === null || reply.event === "svc.v2.error")
      throw new Error(JSON.stringify(reply));
    return reply.data as JsonObject;
  }

  #post(path: string, credential: string, body: Json): Promise<HttpReply> {
    return call(this.#options.baseUrl, { path, credential, body, agent: this.#agent });
  }
}

function eventsRequest(
  seed: number,
  target: Target,
  events: readonly SentEvent[],
  request: number,
): HttpRequest {
  const path = `/api/v2/experiments/${target.experimentId}/events`;
  const body = events.map((event, index) => envelopeOf(seed, target, event, `${request}-${index}`));
  return { path, credential: target.token, body };
}

function envelopeOf(seed: number, target: Target, event: SentEvent, freshId: string): JsonObject {
  const { experimentId, experiment } = target;
  if (event.kind === "metric") {
    const { messageId, ...point } = pointOf(seed, experiment, event.number);
    return { messageId, event: "svc.v2.experiment.metric", data: { experimentId, ...point } };
  }
  const data: JsonObject = { experimentId };
  if (event.kind === "annotate")
    Object.assign(data, { annotation: `note ${event.number}`, meta: {} });
  if (event.kind === "error") Object.assign(data, { error: "planned", meta: {} });
  return { messageId: `event-${freshId}`, event: `svc.v2.experiment.${event.kind}`, data };
}
