import type { Entry, SentEvent, TokenState } from "./journal.ts";

/** The journal's account of one experiment. */
export class Expectation {
  readonly experiment: number;
  slug = "";
  experimentId: string | undefined;
  /** Every point ever sent has its count of acknowledgements, and of those saying "stored anew". */
  readonly points = new Map<number, { acknowledged: number; fresh: number }>();
  readonly annotations = new Map<number, { acknowledged: boolean }>();
  /** Lines of each source: those acknowledged, and all that were ever sent. */
  readonly printed = new Map<number, { acknowledged: number; sent: number }>();
  /** The status may be the last acknowledged one, or one sent after it with unknown outcome. */
  statuses = new Set(["running"]);
  revision = 0;
  readonly tokens = new Map<string, TokenState>();

  constructor(experiment: number) {
    this.experiment = experiment;
  }
}

interface OpenRequest {
  experiment: number;
  events: SentEvent[];
  /** Points that were acknowledged before the request was sent: they cannot be stored anew. */
  known: Set<number>;
}

/** Folds the journal into what must be stored and what may be stored. */
export class Expectations {
  readonly experiments = new Map<number, Expectation>();
  readonly folders = new Map<string, boolean>();
  /** Contradictions that the acknowledgements alone show. */
  readonly violations: string[] = [];
  acknowledgedPoints = 0;
  acknowledgedLines = 0;
  acknowledgedRequests = 0;
  unknownRequests = 0;
  readonly #requests = new Map<number, OpenRequest>();
  readonly #printing = new Map<number, { acknowledged: number; sent: number }>();

  of(experiment: number): Expectation {
    let expectation = this.experiments.get(experiment);
    if (expectation === undefined) {
      expectation = new Expectation(experiment);
      this.experiments.set(experiment, expectation);
    }
    return expectation;
  }

  add(entry: Entry): void {
    switch (entry.at) {
      case "opening":
        this.of(entry.experiment).slug = entry.slug;
        break;
      case "opened": {
        const expectation = this.of(entry.experiment);
        expectation.experimentId = entry.experimentId;
        expectation.tokens.set(entry.token, "valid");
        break;
      }
      case "send": {
        const { experiment, events } = entry;
        this.#requests.set(entry.request, {
          experiment,
          events,
          known: this.#send(experiment, events),
        });
        break;
      }
      case "ok":
        this.acknowledgedRequests += 1;
        this.#acknowledge(this.#take(entry.request), entry.fresh);
        break;
      case "unknown":
        this.unknownRequests += 1;
        this.#take(entry.request);
        break;
      case "printing": {
        const { printed } = this.of(entry.experiment);
        const source = printed.get(entry.source) ?? { acknowledged: 0, sent: 0 };
        printed.set(entry.source, source);
        source.sent = Math.max(source.sent, entry.first + entry.count);
        this.#printing.set(entry.request, source);
        break;
      }
      case "printed":
        this.#print(entry.request, entry.next);
        break;
      case "revision": {
        const expectation = this.of(entry.experiment);
        expectation.revision = Math.max(expectation.revision, entry.revision);
        break;
      }
      case "folder":
        this.folders.set(entry.name, entry.acknowledged);
        break;
      case "token":
        this.of(entry.experiment).tokens.set(entry.token, entry.state);
        break;
      case "crash":
        break;
    }
  }

  #take(request: number): OpenRequest {
    const open = this.#requests.get(request);
    if (open === undefined) throw new Error(`BUG: request ${request} is not open`);
    this.#requests.delete(request);
    return open;
  }

  #print(request: number, next: number): void {
    const source = this.#printing.get(request);
    if (source === undefined) throw new Error(`BUG: request ${request} prints nothing`);
    this.#printing.delete(request);
    this.acknowledgedRequests += 1;
    this.acknowledgedLines += Math.max(0, next - source.acknowledged);
    source.acknowledged = Math.max(source.acknowledged, next);
  }

  #send(experiment: number, events: SentEvent[]): Set<number> {
    const expectation = this.of(experiment);
    const known = new Set<number>();
    for (const event of events) {
      if (event.kind === "metric") {
        const point = expectation.points.get(event.number) ?? { acknowledged: 0, fresh: 0 };
        expectation.points.set(event.number, point);
        if (point.acknowledged > 0) known.add(event.number);
      } else if (event.kind === "annotate") {
        expectation.annotations.set(event.number, { acknowledged: false });
      } else {
        expectation.statuses.add(statusAfter(event.kind));
      }
    }
    return known;
  }

  #acknowledge({ experiment, events, known }: OpenRequest, fresh: number[]): void {
    const expectation = this.of(experiment);
    for (const [index, event] of events.entries()) {
      if (event.kind === "annotate") {
        expectation.annotations.get(event.number)!.acknowledged = true;
      } else if (event.kind === "metric") {
        const point = expectation.points.get(event.number)!;
        point.acknowledged += 1;
        point.fresh += fresh[index];
        this.acknowledgedPoints += fresh[index];
        const where = `${expectation.slug}: point ${event.number}`;
        if (point.fresh > 1) this.violations.push(`${where} was stored anew ${point.fresh} times`);
        if (fresh[index] === 1 && known.has(event.number)) {
          this.violations.push(`${where} was acknowledged and then forgotten`);
        }
      } else {
        expectation.statuses = new Set([statusAfter(event.kind)]);
      }
    }
  }
}

function statusAfter(kind: "start" | "done" | "error"): string {
  return kind === "start" ? "running" : kind;
}
