import assert from "node:assert/strict";
import { call, type HttpReply, type JsonObject } from "../http.ts";
import {
  prefix,
  readSeries,
  repliesTo,
  requestError,
  type RequestEvent,
} from "../contract/callers.ts";
import type { Service } from "../service.ts";
import type { ModelEvent, ModelReply, SeriesRequest } from "./reference.ts";
import { Bindings, type Name, type Term } from "./symbols.ts";

/**
 * Parts that the model leaves open but backends must agree on: messages, details, order of
 * partitions.
 */
export type LeftOpen = string[];

/** The model watches one real service, with a pair of organizations that only this run uses. */
export class Backend {
  readonly name: string;
  readonly service: Service;
  readonly #keys: [string, string];
  readonly #bindings = new Bindings();

  constructor(name: string, service: Service, firstKey: string, secondKey: string) {
    this.name = name;
    this.service = service;
    this.#keys = [firstKey, secondKey];
  }

  async organizationEvents(
    organization: number,
    events: ModelEvent[],
    expected: ModelReply,
  ): Promise<LeftOpen> {
    return this.#events("/api/v2/events", this.#keys[organization], events, expected);
  }

  async experimentEvents(
    experimentId: Name,
    token: Name,
    events: ModelEvent[],
    expected: ModelReply,
  ): Promise<LeftOpen> {
    const path = `/api/v2/experiments/${String(this.#bindings.resolve(experimentId))}/events`;
    return this.#events(path, String(this.#bindings.resolve(token)), events, expected);
  }

  async series(organization: number, request: SeriesRequest, expected: Term): Promise<LeftOpen> {
    const { seriesNames, filter, xAxis } = request;
    const experimentId = this.#bindings.resolve(request.experimentId) as string;
    const data: JsonObject = { experimentId, filter, xAxis };
    if (seriesNames !== undefined) data.seriesNames = seriesNames;
    const sent = { messageId: "series", event: `${prefix}query.experimentseries`, data };
    const reply = await this.#post("/api/v2/query/series", this.#keys[organization], sent);
    assert.equal(reply.status, 200, reply.text);
    const read = readSeries(reply, sent);
    const partitions = read.partitions.toSorted((left, right) =>
      bytewise(
        partitionKey(left.seriesName, left.metadata),
        partitionKey(right.seriesName, right.metadata),
      ),
    );
    const summaries = read.summaries
      .map(({ seriesName, points }) => ({ seriesName, points }))
      .filter(({ points }) => seriesNames !== undefined || points !== 0);
    this.#bindings.unify(expected, { partitions, summaries }, `${this.name}: series`);
    // Into how many records a partition is cut depends on what is sealed already.
    const all = read.summaries.map((summary) => ({ ...summary, batches: 0 }));
    return [JSON.stringify(read.partitions), JSON.stringify(all)].map((text) => this.#masked(text));
  }

  async restart(signal: "kill" | "stop"): Promise<void> {
    await this.service[signal]();
    await this.service.start();
  }

  async #events(
    path: string,
    credential: string,
    events: ModelEvent[],
    expected: ModelReply,
  ): Promise<LeftOpen> {
    const sent = events.map(({ messageId, event, data }) => ({
      messageId,
      event: prefix + event,
      data: this.#bindings.resolve(data) as JsonObject,
    }));
    const reply = await this.#post(path, credential, sent);
    if ("refused" in expected) {
      const { code, message } = requestError(reply);
      assert.equal(code, expected.refused, `${this.name}: ${message}`);
      return [message];
    }
    return this.#compare(sent, reply, expected.replies);
  }

  #compare(
    sent: RequestEvent[],
    reply: HttpReply,
    expected: { event: string; data: Term }[],
  ): LeftOpen {
    const open: LeftOpen = [];
    const actual = repliesTo(sent, reply).map(({ event, data }, index) => {
      const name = event.slice(prefix.length);
      if (name === "error") {
        const { message, details, ...rest } = data;
        open.push(JSON.stringify({ message, details }));
        return {
          event: name,
          data: {
            ...rest,
            details: isSpecified(data) ? details : (expected[index].data as JsonObject).details,
          },
        };
      }
      if ("experimentToken" in data) {
        const { expiresAtMs, ...rest } = data;
        assert.ok(Number(expiresAtMs) > Date.now());
        return { event: name, data: rest };
      }
      return { event: name, data };
    });
    this.#bindings.unify(expected, actual, this.name);
    return open.map((text) => this.#masked(text));
  }

  #masked(text: string): string {
    return this.#bindings.mask(text);
  }

  #post(path: string, credential: string, body: unknown): Promise<HttpReply> {
    return call(this.service.baseUrl, { path, credential, body, method: "POST" });
  }
}

/** The error details that the specification or its decisions name. */
function isSpecified({ code }: JsonObject): boolean {
  return code === "folder_already_exists" || code === "experiment_id_mismatch";
}

function partitionKey(seriesName: string, metadata: JsonObject): string {
  const entries = Object.entries(metadata).sort(([left], [right]) => (left < right ? -1 : 1));
  return `${seriesName}\n${JSON.stringify(entries)}`;
}

function bytewise(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
