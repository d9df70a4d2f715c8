import assert from "node:assert/strict";
import fc, { type AsyncCommand } from "fast-check";
import type { Backend, LeftOpen } from "./backend.ts";
import type { ModelEvent, ModelReply, Reference } from "./reference.ts";
import type { Name, Term, TermObject } from "./symbols.ts";

/** The subjects of a run of commands: the model and every real service. */
export interface Real {
  backends: Backend[];
  /** Fresh messageIds count up. */
  sent: number;
}

type Command = AsyncCommand<Reference, Real>;

const slugs = ["alpha", "Alpha", "alpha/beta", "😀", "\uffee"];
const folderNames = ["one", "two", "One", "é"];
const descriptions = ["", "first", "second\n"];
const freeMetas: TermObject[] = [{}, { a: 1 }, { nested: { list: [1, "x", null] }, é: true }];
const metricNames = ["loss", "Loss", "a b"];
const pointMetas: Record<string, string>[] = [
  {},
  { rank: "0" },
  { rank: "1" },
  { rank: "0", host: "" },
  { "😀": "é", "\uffee": "x" },
];
const steps = [0, 1, 2, 3, 1_000_000, 9_007_199_254_740_990];
const times = [0, 1, 1_700_000_000_000, 9_007_199_254_740_991];

/** Three small numbers, which each event reads in its own way; all shrinks to the first choice. */
const choice = fc.record({ first: fc.nat(30), second: fc.nat(30), third: fc.nat(30) });
type Choice = { first: number; second: number; third: number };

function pick<T>(list: readonly T[], choice: number): T {
  return list[choice % list.length];
}

function pickName(reference: Reference, kind: Name["kind"], choice: number): Term {
  return pick<Term>([...reference.names[kind], `unknown ${kind}`], choice);
}

const organizationEvents: Record<string, (reference: Reference, choice: Choice) => TermObject> = {
  "folder.create": (reference, { first, second }) => ({
    name: pick(folderNames, first),
    parentFolderId: pick<Term>([null, pickName(reference, "folder", second)], second),
  }),
  "folder.update": (reference, { first, second, third }) => {
    const data: TermObject = { folderId: pickName(reference, "folder", first) };
    if (third % 3 !== 0) data.name = pick(folderNames, second);
    if (third % 3 !== 1)
      data.parentFolderId = pick<Term>([null, pickName(reference, "folder", second)], third);
    return data;
  },
  "folder.delete": (reference, { first }) => ({ folderId: pickName(reference, "folder", first) }),
  "experiment.open": (_, { first, second, third }) => ({
    slug: pick(slugs, first),
    description: pick(descriptions, second),
    meta: pick(freeMetas, third),
  }),
  "experiment.move": (reference, { first, second }) => ({
    ...identity(reference, first),
    folderId: pick<Term>([null, pickName(reference, "folder", second)], second),
  }),
  "experiment.tokenRefresh": (reference, { first, second }) => {
    const known = reference.tokens;
    const { token, experimentId } =
      known.length === 0 ? { token: "ik_unknown", experimentId: "unknown" } : pick(known, first);
    return {
      experimentId: second % 5 === 0 ? pickName(reference, "experiment", second) : experimentId,
      experimentToken: token,
    };
  },
  "foldertree.read": () => ({}),
  "query.experiment": (reference, { first }) => identity(reference, first),
  "query.catalog": (reference, { first }) => identity(reference, first),
  "query.annotations": (reference, { first }) => identity(reference, first),
};

const soleReads = ["query.experiments", "query.revisions"];

function identity(reference: Reference, choice: number): TermObject {
  return choice % 2 === 0
    ? { experimentId: pickName(reference, "experiment", choice >> 1) }
    : { experimentSlug: pick(slugs, choice >> 1) };
}

abstract class Request implements Command {
  check(): boolean {
    return true;
  }

  abstract run(reference: Reference, real: Real): Promise<void>;
  abstract toString(): string;

  /** All services must agree with the model, and with each other where it leaves something open. */
  protected async all(
    { backends }: Real,
    send: (backend: Backend) => Promise<LeftOpen>,
  ): Promise<void> {
    const [first, ...others] = await Promise.all(backends.map(send));
    for (const other of others) assert.deepEqual(other, first);
  }
}

class OrganizationRequest extends Request {
  readonly organization: number;
  readonly choices: { name: string; choice: Choice }[];

  constructor(organization: number, choices: { name: string; choice: Choice }[]) {
    super();
    this.organization = organization;
    this.choices = choices;
  }

  async run(reference: Reference, real: Real): Promise<void> {
    // One at a time, because a name that an event makes can be picked only by a later request.
    const events = this.choices.map(({ name, choice }): ModelEvent => ({
      messageId: `message ${real.sent++}`,
      event: name,
      data: this.#data(reference, name, choice),
    }));
    const reply = reference.organizationEvents(this.organization, events);
    await this.all(real, (backend) => backend.organizationEvents(this.organization, events, reply));
  }

  #data(reference: Reference, name: string, { first, second, third }: Choice): TermObject {
    if (!soleReads.includes(name))
      return organizationEvents[name](reference, { first, second, third });
    const choices = [first, second, third, first + 1].slice(0, third % 5);
    return { experimentIds: choices.map((one) => pickName(reference, "experiment", one)) };
  }

  override toString(): string {
    return `organization ${this.organization}: ${JSON.stringify(this.choices)}`;
  }
}

const experimentEvents = ["start", "done", "error", "annotate", "tokenRevoke"] as const;
type ExperimentChoice =
  | { kind: (typeof experimentEvents)[number]; choice: Choice }
  | { kind: "metric"; choice: Choice; id: number; isAltered: boolean; metricValue: number };

class ExperimentRequest extends Request {
  readonly token: number;
  readonly choices: ExperimentChoice[];
  readonly hasRepeats: boolean;

  constructor(token: number, choices: ExperimentChoice[], hasRepeats: boolean) {
    super();
    this.token = token;
    this.choices = choices;
    this.hasRepeats = hasRepeats;
  }

  override check(): boolean {
    return true;
  }

  async run(reference: Reference, real: Real): Promise<void> {
    if (reference.tokens.length === 0) return;
    const { token, experimentId } = pick(reference.tokens, this.token);
    const wrong = pickName(reference, "experiment", this.token);
    let events = this.choices.map((choice): ModelEvent => {
      const data =
        choice.kind === "metric" ? metricData(choice) : eventData(choice.kind, choice.choice);
      const messageId =
        choice.kind === "metric" ? messageIdOf(choice.id, real) : `message ${real.sent++}`;
      const id = choice.choice.third === 7 ? wrong : experimentId;
      return { messageId, event: `experiment.${choice.kind}`, data: { experimentId: id, ...data } };
    });
    if (!this.hasRepeats) events = withoutRepeats(events);
    const reply: ModelReply = reference.experimentEvents(experimentId, token, events);
    await this.all(real, (backend) => backend.experimentEvents(experimentId, token, events, reply));
  }

  override toString(): string {
    return `experiment by token ${this.token}: ${JSON.stringify(this.choices)} ${this.hasRepeats ? "repeats" : ""}`;
  }
}

function eventData(kind: (typeof experimentEvents)[number], { first, second }: Choice): TermObject {
  if (kind === "error")
    return { error: pick(["broke", "x".repeat(8_000)], first), meta: pick(freeMetas, second) };
  if (kind === "annotate")
    return { annotation: pick(["note", "😀\n"], first), meta: pick(freeMetas, second) };
  return {};
}

/** An id mostly comes with the payload that it had before: then it is a retry, else a conflict. */
function metricData({
  choice,
  id,
  isAltered,
  metricValue,
}: ExperimentChoice & { kind: "metric" }): TermObject {
  const { first, second, third } =
    isAltered || id >= 24 ? choice : { first: id, second: id, third: id };
  return {
    metricName: pick(metricNames, first),
    meta: pick(pointMetas, second),
    step: pick(steps, third),
    timestampMs: pick(times, first + second),
    metricValue: isAltered || id >= 24 ? metricValue : id / 3,
  };
}

function messageIdOf(id: number, real: Real): string {
  if (id < 16) return `run-${id}`;
  if (id < 20) return `run-0${id}`;
  if (id < 24) return `é${id}`;
  const number = real.sent++;
  return number % 2 === 0 ? `fresh-${number}` : `fresh ${number}`;
}

/** tokenRevoke goes last and every messageId stands once, so that most batches are accepted. */
function withoutRepeats(events: ModelEvent[]): ModelEvent[] {
  const ids = new Set<string>();
  const unique = events.filter(({ messageId }) => !ids.has(messageId) && ids.add(messageId));
  const isRevoke = ({ event }: ModelEvent): boolean => event === "experiment.tokenRevoke";
  return [...unique.filter((event) => !isRevoke(event)), ...unique.filter(isRevoke).slice(0, 1)];
}

class SeriesRead extends Request {
  readonly organization: number;
  readonly choice: Choice;

  constructor(organization: number, choice: Choice) {
    super();
    this.organization = organization;
    this.choice = choice;
  }

  async run(reference: Reference, real: Real): Promise<void> {
    const { first, second, third } = this.choice;
    const names = [
      undefined,
      undefined,
      [],
      [...metricNames, "none", "loss"],
      ["a b"],
      ["Loss", "loss"],
    ];
    const filters = [
      [],
      [],
      [{ metadataKey: "rank" }],
      [{ metadataKey: "rank", metadataValue: "0" }],
      [{ metadataKey: "rank" }, { metadataKey: "host", metadataValue: "" }],
      [{ metadataKey: "😀" }],
    ];
    const request = {
      experimentId: pickName(reference, "experiment", first),
      seriesNames: pick(names, second),
      filter: pick(filters, third),
      xAxis: pick(["step", "timestamp"] as const, second),
    };
    const expected = reference.series(this.organization, request);
    await this.all(real, (backend) => backend.series(this.organization, request, expected));
  }

  override toString(): string {
    return `series for organization ${this.organization}: ${JSON.stringify(this.choice)}`;
  }
}

class Restart extends Request {
  readonly signal: "kill" | "stop";

  constructor(signal: "kill" | "stop") {
    super();
    this.signal = signal;
  }

  async run(_: Reference, { backends }: Real): Promise<void> {
    await Promise.all(backends.map((backend) => backend.restart(this.signal)));
  }

  override toString(): string {
    return this.signal;
  }
}

/** Sequences of requests; a restart of all services once in about a hundred. */
export function commands(
  maxCommands: number,
  replayPath?: string,
): fc.Arbitrary<Iterable<Command>> {
  const organization = fc.nat(1);
  const batch = fc.array(
    fc.record({
      name: fc.constantFrom(...Object.keys(organizationEvents), "experiment.open"),
      choice,
    }),
    { minLength: 1, maxLength: 6 },
  );
  const sole = fc.record({ name: fc.constantFrom(...soleReads), choice });
  const metricValue = fc.double({ noNaN: true, noDefaultInfinity: true });
  const metric = fc.record({
    kind: fc.constant("metric" as const),
    choice,
    id: fc.nat(30),
    isAltered: fc.nat(9).map((one) => one === 0),
    metricValue,
  });
  const other = fc.record({ kind: fc.constantFrom(...experimentEvents), choice });
  const experimentBatch = fc.array(
    fc.oneof({ arbitrary: metric, weight: 6 }, { arbitrary: other, weight: 2 }),
    { minLength: 1, maxLength: 12 },
  );
  const repeats = fc.nat(19).map((one) => one === 0);
  const request: fc.Arbitrary<Command> = fc.oneof(
    {
      weight: 30,
      arbitrary: fc
        .tuple(organization, batch)
        .map(([one, two]) => new OrganizationRequest(one, two)),
    },
    {
      weight: 8,
      arbitrary: fc
        .tuple(organization, sole)
        .map(([one, two]) => new OrganizationRequest(one, [two])),
    },
    {
      weight: 40,
      arbitrary: fc
        .tuple(fc.nat(30), experimentBatch, repeats)
        .map(([one, two, three]) => new ExperimentRequest(one, two, three)),
    },
    {
      weight: 22,
      arbitrary: fc.tuple(organization, choice).map(([one, two]) => new SeriesRead(one, two)),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom("kill", "stop").map((signal) => new Restart(signal)),
    },
  );
  return fc.commands([request], {
    maxCommands,
    size: "max",
    ...(replayPath === undefined ? {} : { replayPath }),
  });
}
