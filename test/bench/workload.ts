import { randomUUID } from "node:crypto";

/** How messageIds are made. */
export type Identifiers = "random" | "counter";

/** Kinds of values; each is stored in its own way. */
export type Values = "noise" | "float32" | "decimals";

export interface Workload {
  name: "W1" | "W2" | "long";
  experiments: number;
  seriesPerExperiment: number;
  eventsPerRequest: number;
  connections: number;
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
};

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
    const { experimentId, token } = this.#experiment;
    const events: string[] = [];
    while (events.length < this.#workload.eventsPerRequest) {
      const isRepeat = repeats > 0 && Math.random() < repeats && this.#sent.length > 0;
      if (isRepeat) events.push(this.#sent[Math.floor(Math.random() * this.#sent.length)]);
      else events.push(this.#event(repeats > 0));
    }
    // An id may stand once in a batch.
    const body = `[${(repeats > 0 ? [...new Set(events)] : events).join()}]`;
    return Buffer.from(
      `POST /api/v2/experiments/${experimentId}/events HTTP/1.1\r\nHost: ${host}\r\n` +
        `Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
  }

  #event(isKept: boolean): string {
    const { seriesPerExperiment } = this.#workload;
    const number = this.#count++;
    const step = Math.floor(number / seriesPerExperiment);
    const messageId = this.#identifiers === "random" ? randomUUID() : `${this.#prefix}-${number}`;
    const timestampMs = 1_700_000_000_000 + 1_000 * step + Math.floor(20 * Math.random());
    const text =
      `{"messageId":"${messageId}","event":"svc.v2.experiment.metric","data":{"experimentId":"` +
      `${this.#experiment.experimentId}","timestampMs":${timestampMs},"step":${step},"metricName":` +
      `"train/metric_${number % seriesPerExperiment}","metricValue":${this.#value(step)},"meta":{}}}`;
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
