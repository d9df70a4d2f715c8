import assert from "node:assert/strict";
import { after, before, beforeEach, suite, test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { openService, type Service } from "./signed-in.ts";

suite("the service as a page asks it", () => {
  const documentElement = { dataset: {} };
  const listened = { addEventListener: () => undefined, documentElement };
  const location = { origin: "https://lossless.test", reload: () => assert.fail("a reload") };
  let asked: Asked;
  beforeEach(() => void (asked = new Asked()));
  before(() =>
    Object.assign(globalThis, { window: { ...listened, location }, document: listened }),
  );
  after(() => ["window", "document"].forEach((name) => Reflect.deleteProperty(globalThis, name)));

  async function open(t: TestContext): Promise<Service> {
    t.mock.method(globalThis, "fetch", asked.fetch);
    t.mock.timers.enable({ apis: ["setTimeout"] });
    return (await openService())!;
  }

  test("all that is under way when its person signs in again is sent with the next session", async (t) => {
    const { client } = await open(t);
    const reads = [client.views.points(body), client.views.points(body)];
    const [first, second] = [await asked.next(), await asked.next()];
    assert.deepEqual([first.csrf, second.csrf], ["before", "before"]);
    asked.csrf = "behind";
    for (const one of [first, second]) {
      one.answer(403);
      const again = await asked.next();
      assert.equal(again.csrf, "behind");
      again.answer(200);
    }
    await Promise.all(reads);
  });

  test("what is lost for three seconds is told until any request is answered", async (t) => {
    let nowMs = 0;
    t.mock.method(performance, "now", () => nowMs);
    const { client, changes } = await open(t);
    const reads = [1, 2, 3].map(() => client.views.points(body));
    const lose = async (requests: Request[]) => {
      for (const request of requests) request.lose();
      await setImmediate();
      const { value } = changes.problem;
      nowMs += 1_500;
      t.mock.timers.tick(1_500);
      return value;
    };
    const nextOnes = async () => [await asked.next(), await asked.next(), await asked.next()];
    assert.equal(await lose(await nextOnes()), undefined);
    assert.equal(await lose(await nextOnes()), undefined);
    const [answered, ...others] = await nextOnes();
    assert.equal(await lose(others), "The service cannot be reached.");
    answered.answer(200);
    await Promise.race(reads);
    assert.equal(changes.problem.value, undefined);
    for (const one of [await asked.next(), await asked.next()]) one.answer(200);
    await Promise.all(reads);
  });
});

const body = { series: [], xAxis: "step", pointsMax: 1 } as const;

interface Request {
  csrf: string | null;
  answer: (status: number) => void;
  lose: () => void;
}

/**
 * The service: it answers questions about the session, and all other requests wait for the test.
 */
class Asked {
  csrf = "before";
  readonly #requests: Request[] = [];

  readonly fetch = async (address: string, { headers }: RequestInit): Promise<Response> => {
    if (address === "/api/v1/sessions") {
      const organization = { id: "acme" };
      return Response.json({ csrf: this.csrf, person: { id: "ada" }, organization, role: "owner" });
    }
    return new Promise((resolve, reject) => {
      this.#requests.push({
        csrf: new Headers(headers).get("x-csrf-token"),
        answer: (status) => resolve(Response.json({}, { status })),
        lose: () => reject(new TypeError("Failed to fetch")),
      });
    });
  };

  /** Returns the next request, once it has arrived. */
  async next(): Promise<Request> {
    for (let turns = 0; this.#requests.length === 0; turns++) {
      assert.ok(turns < 1_000, "nothing is asked");
      await setImmediate();
    }
    return this.#requests.shift()!;
  }
}
