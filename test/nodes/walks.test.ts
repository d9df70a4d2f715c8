import assert from "node:assert/strict";
import { test } from "node:test";
import { uniqueName } from "../contract/callers.ts";
import { MlflowCaller } from "../contract/mlflow/mlflow-calls.ts";
import { call, type JsonObject, parseObject } from "../http.ts";
import { sharedPostgres } from "../postgres.ts";
import { organizations, Service } from "../service.ts";

const { key } = organizations.acme;
const experiments = 60;

/** One page of a list, and the token of the next one. */
type ReadPage = (
  at: Service,
  token: string | undefined,
) => Promise<{ ids: string[]; next: string | undefined }>;

test("a walk by tokens goes from node to node: what nobody changes comes once, in its order", async () => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using first = await Service.start({ databaseUrl });
  await using second = await Service.start({ databaseUrl });
  const mlflow = (at: Service) =>
    new MlflowCaller({ baseUrl: at.baseUrl, observe: () => undefined }, key);
  const folder = await mlflow(first).experiment(uniqueName("walk"));
  const runs: string[] = [];
  for (let at = 0; at < experiments; at++) {
    // Few values, so that most places differ by their ids alone.
    const run = await mlflow(first).run(folder, { run_name: `run ${at % 7}`, start_time: at % 5 });
    runs.push(run);
  }
  const lists: Record<string, ReadPage> = {
    table: async (at, token) => {
      const body = {
        sort: [{ field: "began" }, { field: "slug", descending: true }],
        limit: 7,
        ...(token !== undefined && { after: token }),
      };
      const path = "/api/views/v1/experiments";
      const reply = await call(at.baseUrl, { path, credential: key, body });
      assert.equal(reply.status, 200, reply.text);
      const { rows, next } = parseObject(reply.text) as { rows: JsonObject[]; next?: string };
      return { ids: rows.map(({ experimentId }) => String(experimentId)), next };
    },
    "MLflow's runs": async (at, token) => {
      const { runs: found = [], next_page_token: next } = await mlflow(at).post("runs/search", {
        experiment_ids: [folder],
        order_by: ["attributes.run_name DESC"],
        max_results: 7,
        page_token: token ?? "",
      });
      const ids = (found as { info: JsonObject }[]).map(({ info }) => String(info.run_id));
      return { ids, next: next as string | undefined };
    },
  };

  for (const [name, read] of Object.entries(lists)) {
    const whole = await walk(() => first, read);
    assert.deepEqual(whole.toSorted(), runs.toSorted(), name);
    // In turns; most pages at one and the rest at the other; each token tried at both.
    assert.deepEqual(await walk((page) => (page % 2 === 0 ? first : second), read), whole, name);
    assert.deepEqual(await walk((page) => (page === 5 ? second : first), read), whole, name);
    let token: string | undefined;
    for (let page = 0; page === 0 || token !== undefined; page++) {
      const [here, there] = [await read(first, token), await read(second, token)];
      assert.deepEqual(here.ids, there.ids, name);
      token = page % 2 === 0 ? here.next : there.next;
    }

    // Changes in between, through either node, and a node that is started anew.
    const changed = new Set<string>();
    const seen = await walk(async (page) => {
      const id = runs[(page * 11) % runs.length];
      changed.add(id);
      const tag = { run_id: id, key: "mlflow.runName", value: `changed ${page}` };
      await mlflow(page % 2 === 0 ? second : first).post("runs/set-tag", tag);
      if (page === 4) {
        await second.kill();
        await second.start();
      }
      return page % 3 === 0 ? second : first;
    }, read);
    const same = (ids: string[]) => ids.filter((id) => !changed.has(id));
    assert.deepEqual(same(seen), same(whole), name);
  }
});

async function walk(
  nodeOf: (page: number) => Service | Promise<Service>,
  read: ReadPage,
): Promise<string[]> {
  const seen: string[] = [];
  let token: string | undefined;
  for (let page = 0; page === 0 || token !== undefined; page++) {
    const { ids, next } = await read(await nodeOf(page), token);
    seen.push(...ids);
    token = next;
    assert.ok(page < experiments, "it has an end");
  }
  return seen;
}
