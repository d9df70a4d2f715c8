import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type ChangesBody, type ChangesReply, ConnectionError } from "@lossless/client";
import { Changes, type ChangesPage } from "./changes.ts";
import { unreached } from "./parts/words.ts";

suite("one request for all that a page follows", () => {
  test("it looks first, asks with what was read, and looks again at what changed", async () => {
    const service = new Asked();
    const changes = new Changes(service.ask, new Tab());
    const looks: (number | undefined)[] = [];
    let revision = 0;
    const leave = changes.watch({
      seen: () => [{ experimentId: "a", revision }],
      look: (reply) => {
        revision = reply?.experiments[0].revision ?? 7;
        looks.push(reply && revision);
      },
    });
    const first = await service.next();
    assert.deepEqual(first.body.experiments, [{ experimentId: "a", revision: 7 }]);
    assert.equal(first.body.opened, undefined);
    first.answer({ a: 8 });
    const second = await service.next();
    assert.deepEqual(second.body.experiments, [{ experimentId: "a", revision: 8 }]);
    assert.deepEqual(looks, [undefined, 8]);
    leave();
    assert.equal(second.signal.aborted, true);
    assert.equal(service.waiting, 0);
  });

  test("while it is held nothing is asked, and behind it everybody looks at what there is", async () => {
    const service = new Asked();
    const changes = new Changes(service.ask, new Tab());
    changes.watch({ seen: () => [{ experimentId: "a", revision: 1 }], look: () => undefined });
    const first = await service.next();
    const goOn = changes.hold();
    assert.equal(first.signal.aborted, true);
    assert.equal(service.waiting, 0);
    goOn();
    assert.equal((await service.next()).signal.aborted, false);
  });

  test("only those look again whom it concerns, and openings only those who follow them", async () => {
    const service = new Asked();
    const changes = new Changes(service.ask, new Tab());
    const looks: string[] = [];
    const follow = (experimentId: string, opened = false) =>
      changes.watch({
        seen: () => [{ experimentId, revision: 1 }],
        look: (reply) => void looks.push(`${experimentId}${reply === undefined ? "" : "!"}`),
        opened,
      });
    follow("a");
    follow("b", true);
    const first = await service.next();
    // The number of experiments is unknown at first: it is asked at once, and its watch looks
    // again.
    assert.deepEqual([first.body.waitMs, first.body.opened], [0, undefined]);
    first.answer({});
    const second = await service.next();
    assert.equal(second.body.opened, "5");
    second.answer({ a: 2 });
    (await service.next()).answer({}, 1);
    await service.next();
    assert.deepEqual(looks, ["a", "b", "b!", "a!", "b!"]);
  });

  test("parts of a page look side by side, also those that come while others are at it", async () => {
    const service = new Asked();
    const changes = new Changes(service.ask, new Tab());
    const all = Promise.withResolvers<void>();
    let begun = 0;
    const look = async () => {
      if (++begun === 3) all.resolve();
      await all.promise;
    };
    const follow = (experimentId: string) =>
      changes.watch({ seen: () => [{ experimentId, revision: 1 }], look });
    follow("a");
    follow("b");
    await new Promise((resolve) => setTimeout(resolve, 0));
    follow("c");
    const { body } = await service.next();
    assert.equal(body.experiments.length, 3);
    assert.equal(begun, 3);
  });

  test("a hidden tab asks nothing, and one that is shown again asks at once", async () => {
    const service = new Asked();
    const tab = new Tab();
    const changes = new Changes(service.ask, tab);
    changes.watch({ seen: () => [], look: () => undefined });
    const first = await service.next();
    tab.turn(true);
    assert.equal(first.signal.aborted, true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(service.waiting, 0);
    tab.turn(false);
    await service.next();
  });

  test("what fails is said, tried again, and over when it succeeds", async () => {
    const service = new Asked();
    const changes = new Changes(service.ask, new Tab());
    let fails = true;
    const leave = changes.watch({
      seen: () => [],
      look: () => {
        if (fails) throw new Error("no such experiment");
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 0));
    assert.equal(changes.problem.value, "no such experiment");
    fails = false;
    const first = await service.next();
    first.fail(new Error("the network is gone"));
    await new Promise((resolve) => setTimeout(resolve, 0));
    assert.equal(changes.problem.value, "the network is gone");
    // The reply after a failure comes at once, not with the next change.
    const second = await service.next();
    assert.deepEqual([first.body.waitMs, second.body.waitMs], [0, 0]);
    second.answer({});
    const third = await service.next();
    assert.equal(third.body.waitMs, 25_000);
    assert.equal(changes.problem.value, undefined);
    leave();
  });

  test("what passes within three seconds is not said, and what lasts longer is", async ({
    mock,
  }) => {
    mock.timers.enable({ apis: ["setTimeout", "Date"] });
    mock.method(performance, "now", () => Date.now());
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    const service = new Asked();
    const changes = new Changes(service.ask, new Tab());
    changes.watch({ seen: () => [{ experimentId: "a", revision: 1 }], look: () => undefined });
    /** The next request fails `ms` milliseconds after it was sent. */
    const failAfter = async (ms: number) => {
      const request = await service.next();
      mock.timers.tick(ms);
      request.fail(new ConnectionError("no answer", false));
      await settled();
      return changes.problem.value;
    };
    // The wait is cut, and two immediate requests fail: a pause of one second, then of two.
    assert.equal(await failAfter(20_000), undefined);
    mock.timers.tick(1_000);
    assert.equal(await failAfter(0), undefined);
    mock.timers.tick(2_000);
    assert.equal(await failAfter(0), unreached);
    mock.timers.tick(4_000);
    (await service.next()).answer({});
    await settled();
    mock.timers.tick(400);
    // No reply within its time and three seconds.
    assert.equal(await failAfter(27_000), undefined);
    assert.equal(changes.problem.value, undefined);
    mock.timers.tick(1_000);
    (await service.next()).answer({});
    assert.equal(await failAfter(55_000), unreached);
  });

  test("what is shown newly is asked for at once", async () => {
    const service = new Asked();
    const changes = new Changes(service.ask, new Tab());
    let shown = ["a"];
    changes.watch({
      seen: () => shown.map((experimentId) => ({ experimentId, revision: 1 })),
      look: () => undefined,
    });
    const first = await service.next();
    shown = ["b", "c"];
    changes.again();
    assert.equal(first.signal.aborted, true);
    const { body } = await service.next();
    assert.deepEqual(
      body.experiments.map(({ experimentId }) => experimentId),
      ["b", "c"],
    );
  });

  test("a watch that fails stops none of the others, and is tried again from its beginning", async () => {
    const service = new Asked();
    const changes = new Changes(service.ask, new Tab());
    const looks: string[] = [];
    let fails = true;
    changes.watch({
      seen: () => [{ experimentId: "bad", revision: 1 }],
      look: (reply) => {
        if (fails) throw new Error("no such query");
        looks.push(`bad${reply === undefined ? "" : "!"}`);
      },
    });
    changes.watch({
      seen: () => [{ experimentId: "a", revision: 1 }],
      look: (reply) => void looks.push(`a${reply === undefined ? "" : "!"}`),
    });
    const first = await service.next();
    // The round is short, so that the failed one is retried soon.
    assert.deepEqual(first.body, { experiments: [{ experimentId: "a", revision: 1 }], waitMs: 0 });
    fails = false;
    first.answer({ a: 2 });
    const second = await service.next();
    assert.deepEqual(looks, ["a", "a!", "bad"]);
    fails = true;
    second.answer({ bad: 2, a: 3 });
    await new Promise((resolve) => setTimeout(resolve, 0));
    assert.equal(changes.problem.value, "no such query");
    fails = false;
    await service.next();
    assert.deepEqual(looks, ["a", "a!", "bad", "a!", "bad"]);
  });

  test("an experiment that several parts show is named once, as the oldest of them saw it", async () => {
    const service = new Asked();
    const changes = new Changes(service.ask, new Tab());
    for (const revision of [4, 3, 5])
      changes.watch({ seen: () => [{ experimentId: "a", revision }], look: () => undefined });
    const { body } = await service.next();
    assert.deepEqual(body.experiments, [{ experimentId: "a", revision: 3 }]);
  });

  test("more experiments than one request may name are asked for in turn", async () => {
    const service = new Asked();
    const changes = new Changes(service.ask, new Tab());
    const seen = Array.from({ length: 501 }, (_, at) => ({ experimentId: `${at}`, revision: 1 }));
    const looks: string[] = [];
    const look = (reply: ChangesReply | undefined) => {
      for (const { experimentId } of reply?.experiments ?? []) looks.push(experimentId);
    };
    changes.watch({ seen: () => seen, look });
    const first = await service.next();
    first.answer({});
    const second = await service.next();
    const parts = [first, second].map(({ body }) => body.experiments.length);
    assert.deepEqual(new Set(parts), new Set([1, 500]));
    const named = [...first.body.experiments, ...second.body.experiments];
    assert.equal(new Set(named.map(({ experimentId }) => experimentId)).size, 501);
    assert.ok(first.body.waitMs < 25_000);
    second.answer({ 500: 2 });
    await service.next();
    assert.deepEqual(looks, ["500"]);
  });
});

class Tab implements ChangesPage {
  hidden = false;
  #listener: () => void = () => undefined;

  addEventListener(_type: "visibilitychange", listener: () => void): void {
    this.#listener = listener;
  }

  turn(hidden: boolean): void {
    this.hidden = hidden;
    this.#listener();
  }
}

interface Request {
  body: ChangesBody;
  signal: AbortSignal;
  answer: (revisions: Record<string, number>, openedExperiments?: number) => void;
  fail: (error: Error) => void;
}

/** The service: requests wait until the test answers them. */
class Asked {
  readonly #requests: Request[] = [];
  #arrived = Promise.withResolvers<void>();

  get waiting(): number {
    return this.#requests.length;
  }

  readonly ask = (body: ChangesBody, signal: AbortSignal): Promise<ChangesReply> =>
    new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("aborted")));
      const answer: Request["answer"] = (revisions, openedExperiments = 0) => {
        const experiments = Object.entries(revisions).map(([experimentId, revision]) => ({
          ...state,
          experimentId,
          revision,
        }));
        resolve({ experiments, opened: "5", openedExperiments });
      };
      this.#requests.push({ body, signal, answer, fail: reject });
      this.#arrived.resolve();
    });

  /** Returns the next request, once it has arrived. */
  async next(): Promise<Request> {
    if (this.#requests.length === 0) {
      this.#arrived = Promise.withResolvers();
      await this.#arrived.promise;
    }
    return this.#requests.shift()!;
  }
}

const state = {
  points: 1,
  seriesVersion: 0,
  metaVersion: 1,
  status: "running" as const,
  statusAtMs: 1,
  updatedAtMs: 1,
  appendedAtMs: 1,
};
