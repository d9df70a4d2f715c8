import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { TestNode } from "../../database/node.fixture.ts";
import { openExperiment } from "../../experiments/open.ts";
import { type Round, toldRounds } from "./rounds.ts";
import { Runner } from "./runner.ts";
import { MetaIndexing, Recounting, SummaryFolding, type SummarizingParts } from "./summarizing.ts";

const running = new AbortController().signal;

onEachDatabase((fresh) => {
  test("those that fail keep no place of a round, and failing versions none from being counted", async () => {
    const database = await fresh.openMigrated();
    const node = new TestNode(database);
    const ids = await opened(node, 1_002);
    await node.execute("UPDATE summarized SET counted = 0, indexed_version = meta_version - 1");
    // Those that come first in a round.
    const failing = new Set(ids.sort().slice(2));
    const [indexed, counted] = [new Set<string>(), new Set<string>()];
    const warnings: string[] = [];
    const into = (done: Set<string>) => async (id: string) => {
      if (failing.has(id)) throw new Error("planted");
      done.add(id);
    };
    const parts: SummarizingParts = {
      database,
      summarizer: { fold: async () => undefined, recount: into(counted) },
      widenReach: async () => undefined,
      trim: async () => undefined,
      indexMetas: async (experimentIds) => {
        for (const id of experimentIds) await into(indexed)(id);
      },
      noteVersions: () => Promise.reject(new Error("planted")),
      slices: undefined,
      away: undefined,
      warn: (message) => warnings.push(message),
    };
    const told: Round[] = [];
    const tell = (round: Round) => told.push(round);
    const [indexing, recounting] = [new MetaIndexing(parts), new Recounting(parts)];
    const tasks = [
      toldRounds("index", indexing, () => indexing.figures, tell),
      toldRounds("recount", recounting, () => recounting.figures, tell),
    ];
    // A round ends by the clock, too: a slow machine takes more of them.
    for (let round = 0; round < 2 || (counted.size < 2 && round < 100); round++)
      await Promise.all(tasks.map((task) => task.round(running)));
    // Each reports its own work, although both worked at once.
    const figures = new Set(
      told.flatMap(({ name, changed }) =>
        Object.keys(changed).map((figure) => `${name} ${figure}`),
      ),
    );
    assert.deepEqual([...figures].sort(), ["index indexed_metas", "recount recounts"]);
    const others = ids.filter((id) => !failing.has(id));
    assert.deepEqual([...indexed].sort(), others);
    assert.deepEqual([...counted].sort(), others);
    assert.match(warnings.join(), /Versions from before cannot be looked through/);
  });

  test("the newest metas are indexed first, of each organization, and many together", async () => {
    const database = await fresh.openMigrated();
    const node = new TestNode(database);
    await node.execute("UPDATE summarized SET indexed_version = meta_version");
    const [quiet] = await opened(node, 1);
    const busy = (await opened(node, 1_100)).sort().reverse();
    const indexed: (readonly string[])[] = [];
    const parts = {
      database,
      indexMetas: async (experimentIds: readonly string[]) => {
        indexed.push(experimentIds);
        const these = `IN (${experimentIds.map((id) => `'${id}'`).join()})`;
        await node.execute(
          `UPDATE summarized SET indexed_version = meta_version WHERE experiment ${these}`,
        );
      },
      warn: (message: string) => assert.fail(message),
    } as unknown as SummarizingParts;
    const indexing = new MetaIndexing(parts);
    assert.equal(await indexing.round(running), true);
    const [first, ...others] = indexed;
    // It is older than all of the others, which are more than a round takes.
    assert.deepEqual(
      first.filter((id) => id !== quiet),
      busy.slice(0, first.length - 1),
    );
    assert.ok(first.includes(quiet));
    assert.deepEqual([first, ...others].flat().length, 1_000);
    assert.ok(indexed.length <= 10, `${indexed.length} times`);
    assert.equal(await indexing.round(running), false);
    assert.deepEqual(indexed.flat().toSorted(), [quiet, ...busy].toSorted());
  });

  test("folds that take long keep nobody else's from their turn, and are awaited at the end", async () => {
    const database = await fresh.openMigrated();
    const node = new TestNode(database);
    const open = async (count: number) => {
      const ids = await opened(node, count);
      const these = `IN (${ids.map((id) => `'${id}'`).join()})`;
      await node.execute(`UPDATE summarized SET counted = 1 WHERE experiment ${these}`);
      await node.execute(`UPDATE head SET log_seq = 1, points = 1 WHERE experiment ${these}`);
      return ids;
    };
    await node.execute("UPDATE summarized SET counted = 0");
    const giants = new Set(await open(1_010));
    const folded: string[] = [];
    let [inWork, atOnce] = [0, 0];
    const fold = async (id: string, stopped: AbortSignal) => {
      if (giants.has(id)) {
        atOnce = Math.max(atOnce, ++inWork);
        await once(stopped, "abort");
        await setImmediate();
        inWork--;
        stopped.throwIfAborted();
      }
      await node.execute(`UPDATE summarized SET folded_seq = 1 WHERE experiment = '${id}'`);
      folded.push(id);
    };
    const parts: SummarizingParts = {
      database,
      summarizer: { fold, recount: async () => undefined },
      widenReach: async () => undefined,
      trim: async () => undefined,
      indexMetas: async () => undefined,
      noteVersions: async () => ({ more: false }),
      slices: undefined,
      away: undefined,
      warn: (message) => assert.fail(message),
    };
    const folding = new SummaryFolding(parts);
    const runner = new Runner(folding, parts.warn);
    // All that fit are begun.
    for (let round = 0; round < 3; round++) await runner.round();
    assert.deepEqual([inWork, folded], [16, []]);
    const { begun_folds: begun } = folding.figures;
    const others = await open(3);
    while (folded.length < others.length) await runner.round();
    assert.deepEqual(folded.toSorted(), others.toSorted());
    assert.equal(folding.figures.begun_folds, begun + others.length);
    // Lately folded and sealed, the experiment is behind, and waits for its minute unless it is
    // wanted.
    const [wanted] = others;
    await node.execute(
      `UPDATE head SET log_seq = 2, sealed_points = 1 WHERE experiment = '${wanted}'`,
    );
    await node.execute(
      `UPDATE summarized SET folded_at_ms = ${Date.now()} WHERE experiment = '${wanted}'`,
    );
    await runner.round();
    assert.equal(folding.figures.begun_folds, begun + others.length);
    folding.foldSoon(wanted);
    // Its fold may not quite have ended: it is wanted until it has.
    while (folded.length === others.length) await runner.round();
    assert.equal(folded.at(-1), wanted);
    await runner[Symbol.asyncDispose]();
    assert.deepEqual([inWork, atOnce, folded.length], [0, 16, 4]);
  });
});

/** Makes this many experiments of a new organization, in one transaction. */
async function opened(node: TestNode, count: number): Promise<string[]> {
  const organizationId = await node.newOrganization();
  return node.counted(async (transaction, context) => {
    const ids: string[] = [];
    for (let number = 0; number < count; number++) {
      const data = { slug: `run ${number}`, description: "", meta: "{}" };
      const input = { organizationId, data };
      const opening = () => openExperiment(transaction, input, context);
      ids.push((await context.ledger.attempt(opening)).experimentId);
    }
    return ids;
  });
}
