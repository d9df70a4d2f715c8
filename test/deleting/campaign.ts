import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import type { TrashEntry } from "@lossless/protocol";
import { ExperimentCaller, OrganizationCaller, type RequestEvent } from "../contract/callers.ts";
import { signIn } from "../contract/people.ts";
import { trashList } from "../contract/trash-v1/trash-calls.ts";
import { Random } from "../random.ts";
import { runVerify } from "../crash/verify-command.ts";
import { call, type HttpReply } from "../http.ts";
import { organizations, Service, type ServiceOptions } from "../service.ts";

export interface CampaignOptions extends Pick<
  ServiceOptions,
  "databaseUrl" | "checkout" | "environment"
> {
  flags?: string[];
  seed: number;
  experiments: number;
  operations: number;
}

export interface CampaignReport {
  operations: number;
  kills: number;
  purged: number;
  /** One sentence each; empty when all is as the model says. */
  violations: string[];
}

/**
 * Records, deletes, restores and purges experiments, and one series of each, at random, kills the
 * service in between, and holds every answer against a model: what is living has exactly its
 * points, what is deleted answers as what never was, what is purged leaves nothing and takes
 * nothing again.
 */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const { seed, experiments, operations, flags = [], ...service } = options;
  await using running = new Service({
    ...service,
    people: true,
    flags: ["--seal-points", "40", "--seal-idle-ms", "200", ...flags],
  });
  await running.start();
  const campaign = new Campaign(running, new Random(seed));
  for (let at = 0; at < experiments; at++) await campaign.open(`run-${at}`);
  for (let at = 0; at < operations; at++) await campaign.step();
  await campaign.finish();
  return { operations, ...campaign.report };
}

type State = "living" | "deleted" | "purging";

interface Run {
  slug: string;
  experimentId: string;
  state: State;
  entryId: string | undefined;
  caller: ExperimentCaller;
  /** messageIds that were acknowledged. */
  stored: Set<string>;
  /** The state of its series acc; purging until a point of it is taken again. */
  series: State;
  seriesEntryId: string | undefined;
  /** Those of the series in the trash, and those that were purged with it. */
  hidden: Set<string>;
  gone: Set<string>;
  next: number;
}

const batch = 25;

class Campaign {
  readonly report = { kills: 0, purged: 0, violations: [] as string[] };
  readonly #service: Service;
  readonly #random: Random;
  readonly #runs: Run[] = [];
  #admin = "";

  constructor(service: Service, random: Random) {
    this.#service = service;
    this.#random = random;
  }

  async open(slug: string): Promise<void> {
    const caller = await this.#acme.open(slug);
    const { experimentId } = caller;
    const state = { state: "living" as State, entryId: undefined, stored: new Set<string>() };
    const series = { series: "living" as State, seriesEntryId: undefined };
    const without = { hidden: new Set<string>(), gone: new Set<string>() };
    this.#runs.push({ slug, experimentId, caller, next: 0, ...state, ...series, ...without });
  }

  async step(): Promise<void> {
    const run = this.#random.pick(this.#runs);
    const dice = this.#random.below(100);
    if (dice < 45) await this.#record(run);
    else if (dice < 58) await this.#changeSeries(run);
    else if (dice < 70) await this.#delete(run);
    else if (dice < 82) await this.#restore(run);
    else if (dice < 92) await this.#purge(run);
    else await this.#kill();
    await this.#compare(this.#random.pick(this.#runs));
  }

  /** Two more are purged, purges are awaited, all is read once more, and the data is verified. */
  async finish(): Promise<void> {
    // However the dice fell.
    for (const run of this.#runs.filter(({ state }) => state !== "purging").slice(0, 2)) {
      if (run.state === "living") {
        await this.#record(run);
        await this.#delete(run);
      }
      await this.#purge(run);
    }
    const living = this.#runs.findLast(({ state }) => state === "living");
    if (living !== undefined) {
      await this.#record(living);
      if (living.series === "living") await this.#deleteSeries(living);
      if (living.series === "deleted") await this.#purgeSeries(living);
    }
    const purged = this.#runs.filter(({ state }) => state === "purging");
    while ((await trashList(this.#target)).some(({ isPurging }) => isPurging)) await setTimeout(50);
    for (const run of this.#runs) await this.#compare(run);
    for (const run of purged) await this.#tryAgain(run);
    const exit = await this.#service.stop();
    if (exit !== 0) this.#violated(`the service ended with ${exit}: ${this.#service.errors}`);
    const { code, output } = await runVerify(this.#service);
    if (code !== 0) this.#violated(`verify: ${output}`);
    this.#requireNoObjects(purged);
    this.report.purged = purged.length;
  }

  get #target() {
    return { baseUrl: this.#service.baseUrl, observe: () => undefined };
  }

  get #acme(): OrganizationCaller {
    return new OrganizationCaller(this.#target, organizations.acme.key);
  }

  #violated(sentence: string): void {
    this.report.violations.push(sentence);
  }

  /** Sends new points and some that were sent before, by a token that may have ended. */
  async #record(run: Run): Promise<void> {
    const events: RequestEvent[] = [];
    for (let at = 0; at < batch; at++) {
      const isOld = run.next > 0 && this.#random.chance(0.2);
      const number = isOld ? this.#random.below(run.next) : run.next++;
      if (events.some(({ messageId }) => messageId === `m-${number}`)) continue;
      events.push(pointOf(run, number));
    }
    const reply = await this.#sent(run, events);
    if (reply.status !== 200) return;
    const replies = JSON.parse(reply.text) as PointReply[];
    for (const [at, { event, data }] of replies.entries()) {
      const { messageId } = events[at];
      if (this.#isOfDeletedSeries(run, messageId, replies[at])) continue;
      if (event !== "svc.v2.metricRecorded") {
        this.#violated(`${run.slug}: ${messageId} got ${JSON.stringify(data)}`);
      } else if (run.stored.has(messageId) !== data.deduplicated) {
        this.#violated(`${run.slug}: ${messageId} was stored ${run.stored.has(messageId)}`);
      } else run.stored.add(messageId);
    }
    if (run.state !== "living") this.#violated(`${run.slug} is ${run.state} and took points`);
  }

  /** It is told so; after a purge the first point that is taken makes the series anew. */
  #isOfDeletedSeries(run: Run, messageId: string, { event, data }: PointReply): boolean {
    if (run.series === "living" || !isOfSeries(messageId) || run.stored.has(messageId))
      return false;
    if (data.code === "series_deleted") return true;
    if (event !== "svc.v2.metricRecorded" || run.series !== "purging")
      this.#violated(`${run.slug}: ${messageId} of a deleted series was stored`);
    run.series = "living";
    run.seriesEntryId = undefined;
    return false;
  }

  /** As a client does: after a 401 the slug is opened again. */
  async #sent(run: Run, events: RequestEvent[]): Promise<HttpReply> {
    const reply = await this.#posted(run, events);
    if (reply.status !== 401) return reply;
    const opened = await this.#open(run);
    if (opened === undefined) return reply;
    run.caller = opened;
    return this.#posted(run, events);
  }

  #posted({ caller }: Run, body: RequestEvent[]): Promise<HttpReply> {
    const { path, credential } = caller;
    return call(this.#service.baseUrl, { path, credential, body, method: "POST" });
  }

  /** Undefined when it is refused, which only a deleted one may be. */
  async #open(run: Run): Promise<ExperimentCaller | undefined> {
    const { slug } = run;
    const data = { slug, description: "", meta: {} };
    const sent = { messageId: "open", event: "svc.v2.experiment.open", data };
    const reply = await this.#acme.post(sent);
    const answer = JSON.parse(reply.text) as { event: string; data: { [name: string]: string } };
    if (answer.event !== "svc.v2.error") {
      if (run.state !== "living") this.#violated(`${slug} is ${run.state} and was opened`);
      if (answer.data["experimentId"] !== run.experimentId)
        this.#violated(`${slug} became another experiment`);
      return new ExperimentCaller(this.#target, slug, answer.data);
    }
    if (run.state === "living" || answer.data["code"] !== "experiment_deleted")
      this.#violated(`${slug} is ${run.state}, and opening it gave ${reply.text}`);
    return undefined;
  }

  async #changeSeries(run: Run): Promise<void> {
    if (run.state !== "living") return;
    if (run.series === "living") await this.#deleteSeries(run);
    else if (run.series === "deleted" && this.#random.chance(0.4)) {
      this.#entries(await this.#trash("restore", { ids: [run.seriesEntryId] }));
      run.series = "living";
      run.hidden.clear();
    } else if (run.series === "deleted") {
      await this.#purgeSeries(run);
      if (this.#random.chance(0.5)) await setTimeout(this.#random.below(2_200));
      if (this.#random.chance(0.3)) await this.#kill();
    }
  }

  async #purgeSeries(run: Run): Promise<void> {
    if (this.#admin === "") this.#admin = await signIn(this.#target, "ada");
    this.#entries(await this.#trash("purge", { ids: [run.seriesEntryId] }, this.#admin));
    run.series = "purging";
    for (const messageId of run.hidden) run.gone.add(messageId);
    run.hidden.clear();
  }

  async #deleteSeries(run: Run): Promise<void> {
    const living = [...run.stored].filter((id) => isOfSeries(id) && !run.gone.has(id));
    const { experimentId } = run;
    const reply = await this.#trash("series", { experimentId, seriesNames: ["acc"] });
    if (living.length === 0 && reply.status === 404) return;
    const [entry] = this.#entries(reply);
    if (entry === undefined) return;
    run.series = "deleted";
    run.seriesEntryId = entry.id;
    for (const messageId of living) run.hidden.add(messageId);
  }

  async #delete(run: Run): Promise<void> {
    const reply = await this.#trash("experiments", { experimentIds: [run.experimentId] });
    if (run.state === "purging" && reply.status === 404) return;
    const [entry] = this.#entries(reply);
    if (entry === undefined) return;
    if (run.state === "living") run.state = "deleted";
    run.entryId = entry.id;
    const isWhole = entry.points === run.stored.size || run.gone.size > 0;
    if (run.state === "deleted" && !isWhole)
      this.#violated(`${run.slug} went with ${entry.points} of ${run.stored.size} points`);
  }

  async #restore(run: Run): Promise<void> {
    if (run.entryId === undefined) return;
    const reply = await this.#trash("restore", { ids: [run.entryId] });
    if (run.state === "deleted") {
      if (this.#entries(reply).length === 1) run.state = "living";
      run.entryId = undefined;
    } else if (reply.status !== 404 && reply.status !== 409) {
      this.#violated(`${run.slug} is ${run.state}, and restoring it gave ${reply.status}`);
    }
  }

  async #purge(run: Run): Promise<void> {
    if (run.entryId === undefined || run.state !== "deleted") return;
    if (this.#admin === "") this.#admin = await signIn(this.#target, "ada");
    this.#entries(await this.#trash("purge", { ids: [run.entryId] }, this.#admin));
    run.state = "purging";
    // Often while it is at work.
    if (this.#random.chance(0.5)) await setTimeout(this.#random.below(2_200));
    if (this.#random.chance(0.5)) await this.#kill();
  }

  #trash(place: string, body: unknown, credential: string = organizations.acme.key) {
    const path = `/api/trash/v1/${place}`;
    return call(this.#service.baseUrl, { path, credential, body });
  }

  #entries({ status, text }: HttpReply): TrashEntry[] {
    if (status === 200) return (JSON.parse(text) as { entries: TrashEntry[] }).entries;
    this.#violated(`the trash answered ${status}: ${text}`);
    return [];
  }

  async #kill(): Promise<void> {
    await this.#service.kill();
    await this.#service.start();
    this.report.kills++;
  }

  async #compare(run: Run): Promise<void> {
    const { experimentId, slug, state, stored } = run;
    const shown = stored.size - run.hidden.size - run.gone.size;
    const expected = state === "living" ? shown : 0;
    const { partitions, done } = await this.#acme.series(experimentId);
    if (done.points !== expected)
      this.#violated(`${slug} is ${state} with ${expected} points, read ${String(done.points)}`);
    const steps = partitions.flatMap(({ step }) => step.map((each) => `m-${each}`));
    if (state === "living" && new Set(steps).size !== shown)
      this.#violated(`${slug} has ${new Set(steps).size} of ${shown} different points`);
    const read = await this.#acme.ask("query.experiments", { experimentIds: [experimentId] });
    if ((read.experiments as unknown[]).length !== (state === "living" ? 1 : 0))
      this.#violated(`${slug} is ${state}, read ${JSON.stringify(read)}`);
  }

  /** Whoever did not notice sends on. */
  async #tryAgain(run: Run): Promise<void> {
    const reply = await this.#sent(run, [pointOf(run, 0)]);
    if (reply.status !== 401) this.#violated(`${run.slug} is purged and answered ${reply.status}`);
  }

  /**
   * On SQLite what is sealed is files of the data directory: of those that were purged there is
   * none but what the database names as garbage, which the next start would delete.
   */
  #requireNoObjects(purged: readonly Run[]): void {
    if (this.#service.options.databaseUrl !== undefined) return;
    const { dataDirectory } = this.#service;
    using database = new DatabaseSync(join(dataDirectory, "lossless.db"), { readOnly: true });
    const garbage = new Set(
      database
        .prepare("SELECT key FROM garbage")
        .all()
        .map(({ key }) => String(key)),
    );
    const all = readdirSync(join(dataDirectory, "segments"), { recursive: true }).map(String);
    // A file left half written by a death is removed when it is an hour old.
    const files = all.filter((name) => !name.endsWith(".part"));
    for (const { slug, experimentId } of purged) {
      if (garbage.has(`${experimentId}/`)) continue;
      const own = files.filter((name) => name.startsWith(`${experimentId}/`));
      const left = own.filter((name) => !garbage.has(name));
      if (left.length > 0) this.#violated(`${slug} is purged and has files: ${left.join(", ")}`);
    }
  }
}

interface PointReply {
  event: string;
  data: { deduplicated: boolean; code?: string };
}

const isOfSeries = (messageId: string) => Number(messageId.slice(2)) % 3 === 0;

function pointOf({ experimentId }: Run, number: number): RequestEvent {
  const metricName = number % 3 === 0 ? "acc" : "loss";
  const point = { metricName, metricValue: number / 8, meta: {} };
  return {
    messageId: `m-${number}`,
    event: "svc.v2.experiment.metric",
    data: { experimentId, step: number, timestampMs: 1_700_000_000_000 + number, ...point },
  };
}
