import { setTimeout as sleep } from "node:timers/promises";
import { type ExperimentCaller, OrganizationCaller } from "../contract/callers.ts";
import { organizations } from "../service.ts";

const pointsPerBatch = 20;
const pauseMs = 20;

/** Records metrics all the time: no store may be in their way. */
export class MetricIngest {
  readonly #acme: OrganizationCaller;
  readonly #experiment: ExperimentCaller;
  readonly #working: Promise<void>;
  #points = 0;
  #isOver = false;
  #failure: unknown;

  private constructor(acme: OrganizationCaller, experiment: ExperimentCaller) {
    this.#acme = acme;
    this.#experiment = experiment;
    this.#working = this.#work();
  }

  static async start(baseUrl: string): Promise<MetricIngest> {
    const acme = new OrganizationCaller({ baseUrl, observe: () => {} }, organizations.acme.key);
    return new MetricIngest(acme, await acme.open());
  }

  /** How many points were recorded; each of them is read back. */
  async finish(violations: string[]): Promise<number> {
    this.#isOver = true;
    await this.#working;
    if (this.#failure !== undefined) violations.push(`metrics: ${String(this.#failure)}`);
    const { done } = await this.#acme.series(this.#experiment.experimentId);
    if (done.points !== this.#points) {
      violations.push(`metrics: ${this.#points} acknowledged, ${String(done.points)} read`);
    }
    return this.#points;
  }

  async #work(): Promise<void> {
    try {
      while (!this.#isOver) {
        const batch = Array.from({ length: pointsPerBatch }, () => this.#experiment.metric());
        const replies = await this.#experiment.send(...batch);
        const failed = replies.find(({ event }) => event !== "svc.v2.metricRecorded");
        if (failed !== undefined) throw new Error(JSON.stringify(failed));
        this.#points += pointsPerBatch;
        await sleep(pauseMs);
      }
    } catch (error) {
      this.#failure = error;
    }
  }
}
