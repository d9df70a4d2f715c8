import assert from "node:assert/strict";
import { mock, suite, test } from "node:test";
import { availableParallelism } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ServiceError } from "../../ground/errors.ts";
import { PointResult, type Storage, type Write } from "../../storage/storage.ts";
import { Load } from "./load.ts";
import { Turns } from "./turns.ts";
import { Watching, type WatchingOptions } from "./watching.ts";

suite("waiting for changes", () => {
  test("those who ask in one turn are answered by one read an organization", async () => {
    const { watching, storage } = world();
    const waits = Array.from({ length: 100 }, (_, number) =>
      watching.begin(storage, question({ [`e${number % 10}`]: 0 }, number % 2 ? "acme" : "rival")),
    );
    const found = await Promise.all(waits.map((wait) => wait.changes()));
    assert.ok(found.every(({ experiments: [one] }) => one.revision === 1));
    assert.deepEqual(
      storage.reads.map(({ organizationId, experimentIds }) => [
        organizationId,
        experimentIds.length,
      ]),
      [
        ["rival", 5],
        ["acme", 5],
      ],
    );
  });

  test("of an id that stands twice the last revision counts, and what is none never changes", async () => {
    const { watching, storage } = world();
    storage.unknown.add("none");
    const seen = ["a", "none", "b", "a", "c"].map((experimentId, at) => {
      return { experimentId, revision: at === 0 ? 7 : 1 };
    });
    using wait = watching.begin(storage, { ...question({}), seen });
    const told = wait.changes();
    await settled();
    storage.revision = 2;
    watching.noteAcknowledged([annotated("c")], [{ kind: "value", value: experiment("c") }]);
    watching.noteAcknowledged([annotated("a")], [{ kind: "value", value: experiment("a") }]);
    const { experiments } = await told;
    assert.deepEqual(
      experiments.map(({ experimentId }) => experimentId),
      ["a", "c"],
    );
    assert.deepEqual(sizesOf(storage.reads), [4, 2]);
  });

  test("guests of an organization wait beside its people, not instead of them", () => {
    const { watching, storage } = world({ maxConnections: 4 });
    const of = (holder: string) => watching.begin(storage, { ...question({ a: 1 }), holder });
    using _guest = of("guests of acme");
    assert.throws(() => of("guests of acme"), /Too many requests/);
    using _person = of("acme");
  });

  test("nothing is read while they wait, and what another one's read shows wakes them", async () => {
    const { watching, storage } = world();
    using first = watching.begin(storage, question({ a: 1 }));
    const told = first.changes();
    await settled();
    assert.equal(storage.reads.length, 1);
    storage.revision = 2;
    using second = watching.begin(storage, question({ a: 1 }));
    assert.equal((await second.changes()).experiments[0].revision, 2);
    assert.equal((await told).experiments[0].revision, 2);
    assert.equal(first.hasWaited, true);
    assert.equal(second.hasWaited, false);
  });

  test("other nodes' changes are looked for only with a shared database, while somebody waits", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const { watching, storage } = world({ sharesDatabase: true });
      const wait = watching.begin(storage, question({ a: 1 }, "acme", 0));
      const told = wait.changes();
      await settled();
      mock.timers.tick(500);
      await settled();
      assert.deepEqual(storage.looks, [{ experimentIds: ["a"], organizationIds: ["acme"] }]);
      storage.revision = 2;
      mock.timers.tick(500);
      assert.equal((await told).experiments[0].revision, 2);
      wait[Symbol.dispose]();
      await settled();
      for (let round = 0; round < 4; round++) {
        mock.timers.tick(500);
        await settled();
      }
      assert.ok(storage.looks.length <= 3, `looked ${storage.looks.length} times`);

      const alone = world();
      using waiting = alone.watching.begin(alone.storage, question({ a: 1 }));
      const nothing = waiting.changes();
      mock.timers.tick(20_000);
      await settled();
      assert.equal(alone.storage.looks.length, 0);
      waiting.end();
      assert.equal((await nothing).experiments.length, 0);
    } finally {
      mock.timers.reset();
    }
  });

  test("who waits looks again where points were stored, not where all were there before", async () => {
    const { watching, storage } = world();
    using wait = watching.begin(storage, question({ a: 1 }));
    const told = wait.changes();
    await settled();
    const acknowledge = (...results: number[]) => {
      const write = { kind: "metrics", experimentId: "a" } as Write;
      watching.noteAcknowledged([write], [{ kind: "metrics", results: Uint8Array.from(results) }]);
    };
    storage.revision = 2;
    acknowledge(PointResult.duplicate, PointResult.limitExceeded);
    await settled();
    assert.equal(storage.reads.length, 1);
    acknowledge(PointResult.duplicate, PointResult.stored);
    assert.equal((await told).experiments[0].revision, 2);
  });

  test("a look at very many is several reads", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const { watching, storage } = world({ sharesDatabase: true });
      const waits = Array.from({ length: 10 }, (_, wait) => {
        const ids = Array.from({ length: 500 }, (__, at) => [`e${500 * wait + at}`, 1]);
        return watching.begin(storage, question(Object.fromEntries(ids), "acme", 0));
      });
      const told = waits.map((wait) => wait.changes());
      await settled();
      mock.timers.tick(500);
      await settled();
      const sizes = storage.looks.map(({ experimentIds, organizationIds }) => [
        experimentIds.length,
        organizationIds.length,
      ]);
      assert.deepEqual(sizes, [
        [2_000, 1],
        [2_000, 0],
        [1_000, 0],
      ]);
      for (const wait of waits) wait[Symbol.dispose]();
      await Promise.all(told);
    } finally {
      mock.timers.reset();
    }
  });

  test("all are answered when the service stops, also those that come then", async () => {
    // No time goes by.
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const { watching, storage, stop } = world();
      using wait = watching.begin(storage, question({ a: 1 }));
      const told = wait.changes();
      await settled();
      stop.abort();
      assert.deepEqual((await told).experiments, []);
      using late = watching.begin(storage, question({ a: 1 }));
      assert.deepEqual((await late.changes()).experiments, []);
    } finally {
      mock.timers.reset();
    }
  });

  test("of requests and of experiments one organization has half, and gives them back", () => {
    const { watching, storage } = world({ maxConnections: 40 });
    const begun = Array.from({ length: 10 }, () => watching.begin(storage, question({ a: 1 })));
    assert.throws(
      () => watching.begin(storage, question({ a: 1 })),
      (error: ServiceError) => error instanceof ServiceError && error.code === "overloaded",
    );
    watching.begin(storage, question({ a: 1 }, "rival"))[Symbol.dispose]();
    for (const wait of begun) wait[Symbol.dispose]();
    assert.equal(watching.waiting, 0);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`e${at}`, 1]));
    const wide = world({ maxConnections: 100_000 });
    const held = Array.from({ length: 262 }, () =>
      wide.watching.begin(wide.storage, question(many)),
    );
    assert.throws(() => wide.watching.begin(wide.storage, question(many)), /Too many requests/);
    held[0][Symbol.dispose]();
    wide.watching.begin(wide.storage, question(many))[Symbol.dispose]();
  });
});

suite("the pace of one caller", () => {
  test("a wait that is woken reads what woke it, and nothing sooner than its next turn", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const { watching, storage } = world();
      const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`e${at}`, 1]));
      using wait = watching.begin(storage, question(many));
      const told = wait.changes();
      await settled();
      // Something was told of it, and nothing is another.
      for (let time = 0; time < 20; time++) {
        watching.noteAcknowledged([annotated("e7")], [{ kind: "value", value: experiment("e7") }]);
        await settled();
      }
      assert.deepEqual(sizesOf(storage.reads), [500, 1]);
      storage.revision = 2;
      mock.timers.tick(250);
      const { experiments } = await told;
      assert.deepEqual(sizesOf(storage.reads), [500, 1, 1]);
      assert.deepEqual(
        experiments.map(({ experimentId }) => experimentId),
        ["e7"],
      );
    } finally {
      mock.timers.reset();
    }
  });

  test("who does not wait is paced before anything is read, and refused when they are too many", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const { watching, storage } = world();
      const asked = { ...question({ a: 1 }), waitMs: 0 };
      const ask = () => {
        const wait = watching.begin(storage, asked);
        return wait.changes().finally(() => wait[Symbol.dispose]());
      };
      const all = Promise.allSettled(Array.from({ length: 150 }, ask));
      await settled();
      assert.equal(storage.reads.length, 1);
      for (const reads of [2, 3, 4]) {
        mock.timers.tick(250);
        await settled();
        assert.equal(storage.reads.length, reads);
      }
      mock.timers.tick(25_000);
      const outcomes = await all;
      const refused = outcomes.filter(({ status }) => status === "rejected");
      assert.ok(refused.length >= 45 && refused.length <= 50, String(refused.length));
    } finally {
      mock.timers.reset();
    }
  });

  test("a short wait of a caller that pauses between them reads at once, and ends in its time", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const { watching, storage } = world();
      const asked = { ...question({ a: 1 }), waitMs: 4_000, pacesItself: true };
      const waits = Array.from({ length: 150 }, () => watching.begin(storage, asked));
      const all = Promise.all(waits.map((wait) => wait.changes()));
      await settled();
      mock.timers.tick(4_000);
      for (const { experiments } of await all) assert.deepEqual(experiments, []);
      for (const wait of waits) wait[Symbol.dispose]();
    } finally {
      mock.timers.reset();
    }
  });

  test("who waits for a turn has it behind the caller's others, or at the deadline", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const { watching, storage } = world();
      const asked = { ...question({ a: 1 }), waitMs: 4_000, pacesItself: true };
      const waits = Array.from({ length: 150 }, () => watching.begin(storage, asked));
      let turns = 0;
      const all = Promise.all(waits.map((wait) => wait.turn().then(() => turns++)));
      await settled();
      assert.ok(turns > 0 && turns < 150, String(turns));
      mock.timers.tick(4_000);
      await all;
      assert.equal(storage.reads.length, 0);
      for (const wait of waits) wait[Symbol.dispose]();
    } finally {
      mock.timers.reset();
    }
  });
});

const experiment = (experimentId: string) => ({ experimentId });

function annotated(experimentId: string): Write {
  const input = { ...experiment(experimentId), organizationId: "acme" };
  return { kind: "operation", name: "experiment.annotate", input } as unknown as Write;
}

function sizesOf(reads: readonly Asked[]): number[] {
  return reads.map(({ experimentIds }) => experimentIds.length);
}

test("a caller has a turn every quarter of a second, in the order in which they asked", () => {
  let nowMs = 1_000;
  const pace = new Turns(() => nowMs);
  assert.deepEqual(
    [1, 2, 3].map(() => pace.take("a", 1_000)),
    [0, 250, 500],
  );
  assert.equal(pace.take("b", 1_000), 0);
  nowMs += 600;
  // A turn that would come too late is not taken.
  assert.equal(pace.take("a", 149), undefined);
  assert.equal(pace.take("a", 150), 150);
  assert.equal(pace.take("b", 0), 0);
  // A turn that can wait is further apart, and delays no other caller.
  const apart = pace.take("b", 10_000, 4_000)!;
  assert.ok(apart >= 2_000 && apart <= 6_000, String(apart));
  assert.equal(pace.take("c", 0, 4_000), 0);
  nowMs += 1_000;
  assert.equal(pace.take("c", 0), 0);
  nowMs += 20_000;
  assert.equal(pace.take("a", 0, 4_000), 0);
});

test("callers who follow the same have their turns together from the second on", () => {
  let nowMs = 0;
  const pace = new Turns(() => nowMs);
  const callers = Array.from({ length: 20 }, (_, at) => `caller ${at}`);
  const turns = (followed: string, apartMs: number) =>
    callers.map((caller) => {
      nowMs += 7;
      return nowMs + pace.take(`${caller} of ${followed}`, Infinity, apartMs, followed)!;
    });
  const firsts = turns("one", 3_000);
  assert.deepEqual(
    firsts.map((atMs) => atMs % 7),
    callers.map(() => 0),
    "nobody waits for the first",
  );
  const [second] = turns("one", 3_000);
  assert.deepEqual(
    turns("one", 4_000),
    callers.map(() => second + 4_000),
  );
  // Busier: the next beat of a longer time is one of these.
  const [later] = turns("one", 8_000);
  assert.ok([second + 8_000, second + 12_000, second + 16_000].includes(later));
  assert.deepEqual(new Set(turns("one", 8_000)).size, 1);
  turns("another", 8_000);
  assert.notEqual(turns("another", 8_000)[0] % 8_000, turns("one", 8_000)[0] % 8_000);
});

test("news are further apart the busier the process is, from two fifths of it on", () => {
  let nowMs = 0;
  const used = { mainMs: 0, allMs: 0 };
  const load = new Load(
    () => nowMs,
    () => ({ ...used }),
  );
  const after = (share: number) => {
    nowMs += 1_000;
    used.mainMs += share * 1_000;
    return load.apartMs();
  };
  assert.deepEqual([0, 0.4, 0.5, 0.6, 1, 0.1].map(after), [0, 0, 4_000, 8_000, 8_000, 0]);
  used.allMs += 1_000 * availableParallelism();
  assert.equal(after(0), 8_000);
  // The load is not measured again so soon.
  nowMs += 100;
  assert.equal(load.apartMs(), 8_000);
});

const idle = { apartMs: () => 0 };

function world(options: Partial<WatchingOptions> = {}) {
  const stop = new AbortController();
  const given = {
    maxConnections: 10_000,
    sharesDatabase: false,
    stop: stop.signal,
    load: idle,
    ...options,
  };
  return { watching: new Watching(given), storage: new OneRevision(), stop };
}

/** Every experiment that is asked for exists, but these, and all have the same revision. */
class OneRevision implements Pick<Storage, "read"> {
  revision = 1;
  readonly unknown = new Set<string>();
  readonly reads: Asked[] = [];
  readonly looks: Look[] = [];

  async read(name: string, input: unknown): Promise<never> {
    const { revision } = this;
    const { experimentIds } = input as Asked;
    if (name === "views.marks") {
      this.looks.push(input as Look);
      return {
        revisions: experimentIds.map((id) => ({ id, value: revision })),
        opened: [],
      } as never;
    }
    this.reads.push(input as Asked);
    const known = experimentIds.filter((id) => !this.unknown.has(id));
    return {
      experiments: known.map((experimentId) => ({ experimentId, revision })),
      opened: 0,
    } as never;
  }
}

interface Asked {
  organizationId: string;
  experimentIds: string[];
}

interface Look {
  experimentIds: string[];
  organizationIds: string[];
}

let callers = 0;

function question(seen: Record<string, number>, organizationId = "acme", opened?: number) {
  const caller = `caller ${callers++}`;
  const experiments = Object.entries(seen).map(([experimentId, revision]) => {
    return { experimentId, revision };
  });
  return {
    organizationId,
    holder: organizationId,
    caller,
    seen: experiments,
    opened,
    waitMs: 25_000,
  };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await nextTurn();
}
