import { isDeepStrictEqual } from "node:util";
import { call, type JsonObject, parseLines, parseObject } from "../http.ts";
import { organizations } from "../service.ts";
import { checkConsole } from "./console-check.ts";
import type { Expectation, Expectations } from "./expectation.ts";
import { numberOf, pointOf } from "./point.ts";

/**
 * Reads a service back by its API and compares it with the journal: acknowledged is a subset of
 * stored, stored is a subset of sent, each point once, values bit-equal, order right, totals right.
 */
export class Checker {
  readonly #baseUrl: string;
  readonly #seed: number;
  readonly violations: string[] = [];
  storedPoints = 0;
  storedLines = 0;

  constructor(baseUrl: string, seed: number) {
    this.#baseUrl = baseUrl;
    this.#seed = seed;
  }

  /** Checks the given experiments, all when none are given, and the folders. */
  async check(expectations: Expectations, experiments?: Set<number>): Promise<void> {
    for (const expectation of expectations.experiments.values()) {
      if (experiments?.has(expectation.experiment) === false) continue;
      await this.#checkExperiment(expectation);
    }
    await this.#checkFolders(expectations.folders);
  }

  async #checkExperiment(expectation: Expectation): Promise<void> {
    const { slug } = expectation;
    if (expectation.experimentId === undefined) return; // The outcome of its opening is unknown.
    const record = await this.#ask("query.experiment", { experimentSlug: slug });
    if (record?.experimentId !== expectation.experimentId) {
      this.#report(expectation, `the opened experiment is not there: ${JSON.stringify(record)}`);
      return;
    }
    if (!expectation.statuses.has(String(record.status))) {
      this.#report(
        expectation,
        `status ${String(record.status)} instead of ${[...expectation.statuses].join("/")}`,
      );
    }
    for (const xAxis of ["step", "timestamp"] as const) await this.#checkPoints(expectation, xAxis);
    await this.#checkAnnotations(expectation);
    const service = { baseUrl: this.#baseUrl, seed: this.#seed };
    this.storedLines += await checkConsole(service, expectation, (what) =>
      this.#report(expectation, what),
    );
    await this.#checkRevision(expectation);
    await this.#checkTokens(expectation);
  }

  async #checkPoints(expectation: Expectation, xAxis: "step" | "timestamp"): Promise<void> {
    const name = "svc.v2.query.experimentseries";
    const experimentId = expectation.experimentId!;
    const body = { messageId: "check", event: name, data: { experimentId, filter: [], xAxis } };
    const reply = await call(this.#baseUrl, {
      path: "/api/v2/query/series",
      credential: organizations.acme.key,
      body,
    });
    const lines = reply.status === 200 ? parseLines(reply.text) : [];
    const done = lines.at(-1);
    if (done?.event !== `${name}.done`) {
      this.#report(
        expectation,
        `the stream did not end with done: ${reply.status} ${reply.text.slice(-300)}`,
      );
      return;
    }
    const records = lines.filter(({ event }) => event === "svc.v2.query.series.data");
    const stored = this.#checkRecords(
      expectation,
      records.map(({ data }) => data as JsonObject),
      xAxis,
    );
    for (const [number, { acknowledged }] of expectation.points) {
      if (acknowledged > 0 && !stored.has(number)) {
        this.#report(expectation, `acknowledged point ${number} is lost`);
      }
    }
    const { batches, points } = done.data as JsonObject;
    if (points !== stored.size || batches !== records.length) {
      this.#report(
        expectation,
        `done counts ${String(points)} points, the stream has ${stored.size}`,
      );
    }
    if (xAxis === "step") this.storedPoints += stored.size;
  }

  #checkRecords(expectation: Expectation, records: JsonObject[], xAxis: string): Set<number> {
    const stored = new Set<number>();
    const last = new Map<string, [number, number]>();
    for (const { seriesName, metadata, data } of records) {
      const { step, timestampMs, value } = data as { [name: string]: number[] };
      const partition = `${String(seriesName)} ${JSON.stringify(metadata)}`;
      for (let index = 0; index < value.length; index++) {
        const number = numberOf(timestampMs[index]);
        const place = `${partition} point ${number}`;
        if (stored.has(number)) this.#report(expectation, `${place} is stored twice`);
        stored.add(number);
        if (!expectation.points.has(number)) {
          this.#report(expectation, `${place} was never sent`);
          continue;
        }
        const sent = pointOf(this.#seed, expectation.experiment, number);
        const isSame =
          sent.metricName === seriesName &&
          isDeepStrictEqual(sent.meta, metadata) &&
          sent.step === step[index] &&
          Object.is(sent.metricValue, value[index]);
        if (!isSame)
          this.#report(expectation, `${place} is altered: ${step[index]} ${value[index]}`);
        const key: [number, number] =
          xAxis === "step" ? [step[index], timestampMs[index]] : [timestampMs[index], step[index]];
        const before = last.get(partition);
        if (
          before !== undefined &&
          (before[0] > key[0] || (before[0] === key[0] && before[1] > key[1]))
        ) {
          this.#report(expectation, `${place} is out of order by ${xAxis}`);
        }
        last.set(partition, key);
      }
    }
    return stored;
  }

  async #checkAnnotations(expectation: Expectation): Promise<void> {
    const read = await this.#ask("query.annotations", { experimentId: expectation.experimentId! });
    const counts = new Map<number, number>();
    for (const { annotation } of (read?.annotations ?? []) as JsonObject[]) {
      const number = Number(/^note (\d+)$/.exec(String(annotation))?.[1]);
      counts.set(number, (counts.get(number) ?? 0) + 1);
      if (!expectation.annotations.has(number)) {
        this.#report(expectation, `annotation ${String(annotation)} was never sent`);
      }
    }
    for (const [number, { acknowledged }] of expectation.annotations) {
      const count = counts.get(number) ?? 0;
      if (count > 1 || (acknowledged && count === 0)) {
        this.#report(expectation, `annotation ${number} is stored ${count} times`);
      }
    }
  }

  async #checkRevision(expectation: Expectation): Promise<void> {
    const read = await this.#ask("query.revisions", { experimentIds: [expectation.experimentId!] });
    const [one] = (read?.experiments ?? []) as JsonObject[];
    if (one === undefined || Number(one.revision) < expectation.revision) {
      this.#report(
        expectation,
        `the revision went back to ${JSON.stringify(one)} from ${expectation.revision}`,
      );
    }
  }

  async #checkTokens(expectation: Expectation): Promise<void> {
    for (const [token, state] of [...expectation.tokens].slice(-5)) {
      const experimentId = expectation.experimentId!;
      // A body that is refused only after the credential was accepted, so that nothing is written.
      const reply = await call(this.#baseUrl, {
        path: `/api/v2/experiments/${experimentId}/events`,
        credential: token,
        body: {},
      });
      const isAccepted = reply.status === 400;
      if (state === "valid" && !isAccepted)
        this.#report(expectation, `a valid token is refused: ${reply.status}`);
      if (state === "revoked" && reply.status !== 401) {
        this.#report(expectation, `a revoked token is answered with ${reply.status}`);
      }
    }
  }

  async #checkFolders(folders: Map<string, boolean>): Promise<void> {
    const tree = await this.#ask("foldertree.read", {});
    const names = ((tree?.folders ?? []) as JsonObject[]).map(({ name }) => String(name));
    if (new Set(names).size < names.length)
      this.violations.push("a folder stands twice in the tree");
    for (const name of names) {
      if (!folders.has(name)) this.violations.push(`${name} was never created`);
    }
    for (const [name, isAcknowledged] of folders) {
      if (isAcknowledged && !names.includes(name)) this.violations.push(`${name} is lost`);
    }
  }

  async #ask(name: string, data: JsonObject): Promise<JsonObject | undefined> {
    const body = { messageId: "check", event: `svc.v2.${name}`, data };
    const reply = await call(this.#baseUrl, {
      path: "/api/v2/events",
      credential: organizations.acme.key,
      body,
    });
    const envelope = parseObject(reply.text);
    if (envelope.event !== `svc.v2.${name}.result`) {
      this.violations.push(`${name} ${JSON.stringify(data)}: ${reply.text.slice(0, 300)}`);
      return undefined;
    }
    return envelope.data as JsonObject;
  }

  #report(expectation: Expectation, what: string): void {
    this.violations.push(`${expectation.slug}: ${what}`);
  }
}
