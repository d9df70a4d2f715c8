import { randomUUID } from "node:crypto";
import { columnParts, columnsBody, type SentPoint } from "../columns-body.ts";

/** How messageIds are made. */
export type Identifiers = "random" | "counter";

/** Kinds of values; each is stored in its own way. */
export type Values = "noise" | "float32" | "decimals";

export interface Workload {
  name: "W1" | "W2" | "long" | "columns 1,000" | "columns 10,000";
  experiments: number;
  seriesPerExperiment: number;
  eventsPerRequest: number;
  connections: number;
  /** Points as columns instead of events. */
  isColumns?: true;
}

/** One experiment with long series and large batches, many small ones, and one single series. */
export const workloads: Record<Workload["name"], Workload> = {
  W1: {
    name: "W1",
    experiments: 1,
    seriesPerExperiment: 100,
    eventsPerRequest: 1_000,
    connections: 8,
  },
  W2: {
    name: "W2",
    experiments: 200,
    seriesPerExperiment: 20,
    eventsPerRequest: 20,
    connections: 50,
  },
  long: {
    name: "long",
    experiments: 1,
    seriesPerExperiment: 1,
    eventsPerRequest: 1_000,
    connections: 8,
  },
  "columns 1,000": columns("columns 1,000", 1_000),
  "columns 10,000": columns("columns 10,000", 10_000),
};

/** W1 as columns. */
function columns(name: Workload["name"], eventsPerRequest: number): Workload {
  return {
    name,
    experiments: 1,
    seriesPerExperiment: 100,
    eventsPerRequest,
    connections: 8,
    isColumns: true,
  };
}

export interface Experiment {
  experimentId: string;
  token: string;
}

/** Writes requests of one experiment, one step of all its series after the other, as runs do. */
export class RequestWriter {
  readonly #workload: Workload;
  readonly #experiment: Experiment;
  readonly #identifiers: Identifiers;
  readonly #values: Values;
  readonly #prefix = randomUUID();
  readonly #sent: string[] = [];
  #count = 0;

  constructor(
    workload: Workload,
    experiment: Experiment,
    identifiers: Identifiers,
    values: Values,
  ) {
    this.#workload = workload;
    this.#experiment = experiment;
    this.#identifiers = identifiers;
    this.#values = values;
  }

  /** One whole HTTP request. `repeats` is the share of events that were sent before. */
  next(host: string, repeats = 0): Buffer {
    if (this.#workload.isColumns) return this.#columns(host);
    const events: string[] = [];
    while (events.length < this.#workload.eventsPerRequest) {
      const isRepeat = repeats > 0 && Math.random() < repeats && this.#sent.length > 0;
      if (isRepeat) events.push(this.#sent[Math.floor(Math.random() * this.#sent.length)]);
      else events.push(this.#event(repeats > 0));
    }
    // An id may stand once in a batch.
    const body = `[${(repeats > 0 ? [...new Set(events)] : events).join()}]`;
    return Buffer.from(this.#head(host, "events", "application/json", body.length) + body);
  }

  #columns(host: string): Buffer {
    const { eventsPerRequest } = this.#workload;
    const points = Array.from({ length: eventsPerRequest }, () => this.#point());
    const body = columnsBody(columnParts(points));
    const head = this.#head(host, "columns", "application/octet-stream", body.length);
    return Buffer.concat([Buffer.from(head), body]);
  }

  #head(host: string, word: string, mediaType: string, sizeBytes: number): string {
    const { experimentId, token } = this.#experiment;
    return (
      `POST /api/v2/experiments/${experimentId}/${word} HTTP/1.1\r\nHost: ${host}\r\n` +
      `Authorization: Bearer ${token}\r\nContent-Type: ${mediaType}\r\n` +
      `Content-Length: ${sizeBytes}\r\n\r\n`
    );
  }

  #point(): SentPoint {
    const { seriesPerExperiment } = this.#workload;
    const number = this.#count++;
    const step = Math.floor(number / seriesPerExperiment);
    return {
      messageId: this.#identifiers === "random" ? randomUUID() : `${this.#prefix}-${number}`,
      metricName: `train/metric_${number % seriesPerExperiment}`,
      meta: {},
      step,
      timestampMs: 1_700_000_000_000 + 1_000 * step + Math.floor(20 * Math.random()),
      metricValue: this.#value(step),
    };
  }

  #event(isKept: boolean): string {
    const number = this.#count;
    const { messageId, timestampMs, step, metricName, metricValue } = this.#point();
    const text =
      `{"messageId":"${messageId}","event":"svc.v2.experiment.metric","data":{"experimentId":"` +
      `${this.#experiment.experimentId}","timestampMs":${timestampMs},"step":${step},"metricName":` +
      `"${metricName}","metricValue":${metricValue},"meta":{}}}`;
    // Repeats are drawn from a window, so that memory stays bounded.
    if (isKept) this.#sent[number % 50_000] = text;
    return text;
  }

  /** A falling curve with noise, as a loss is. */
  #value(step: number): number {
    const value = 2 / (1 + step / 1_000) + 0.1 * Math.random();
    switch (this.#values) {
      case "noise":
        return value;
      case "float32":
        return Math.fround(value);
      case "decimals":
        return Math.round(value * 1e4) / 1e4;
    }
  }
}
