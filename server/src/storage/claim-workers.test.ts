import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { sharedPostgres } from "../../../test/postgres.ts";
import { type Database, DatabaseError } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { openPostgres } from "../database/postgres.ts";
import { ConfigError } from "../settings/options.ts";
import { claimWorkers, knownWorkers, type NamedWorker, refuseWorkers } from "./claim-workers.ts";

describe("workers", () => {
  let directory: Database;
  let workers: NamedWorker[];
  before(async () => {
    directory = await fresh();
    await migrate(directory);
    workers = [await workerNamed("a"), await workerNamed("b")];
  });
  const names = (of: readonly NamedWorker[]) => of.map(({ name }) => name);

  test("get numbers for ever, whatever their order", async () => {
    await directory.read(refuseWorkers);
    assert.deepEqual(await claimWorkers(directory, []), []);
    const claimed = await claimWorkers(directory, workers);
    assert.deepEqual(claimed, workers);
    assert.deepEqual(await claimWorkers(directory, workers.toReversed()), workers);
    assert.deepEqual(await knownWorkers(directory, workers.toReversed()), workers);
    await assert.rejects(directory.read(refuseWorkers), /on 2 workers/);
  });

  test("a missing one, one given twice and a new one in a command are refused", async () => {
    await assert.rejects(
      claimWorkers(directory, []),
      refusal(/not given: number 1, 2\. --workers-file/),
    );
    await assert.rejects(
      claimWorkers(directory, [workers[0]]),
      refusal(/are not given: number 2\./),
    );
    const twice = [...workers, workers[0]];
    await assert.rejects(claimWorkers(directory, twice), refusal(/are one worker/));
    const added = await workerNamed("new");
    await migrate(added.database);
    const more = [...workers, added];
    await assert.rejects(knownWorkers(directory, more), refusal(/new is no worker yet/));
  });

  test("one of another installation, or with data, is refused", async () => {
    const other = await fresh();
    await migrate(other);
    await assert.rejects(claimWorkers(other, workers), refusal(/of another installation/));
    const filled = await workerNamed("filled");
    await migrate(filled.database);
    await filled.database.write((transaction) =>
      transaction.run("INSERT INTO organization (id, name, created_at_ms) VALUES ('x', 'x', 0)"),
    );
    await assert.rejects(claimWorkers(other, [filled]), refusal(/filled has data of its own/));
  });

  test("one that does not answer is the one that was at its address", async () => {
    const away = { ...workers[1], database: unreachable };
    assert.deepEqual(names(await claimWorkers(directory, [away, workers[0]])), ["a", "b"]);
    const stranger = { name: "stranger", database: unreachable };
    await assert.rejects(
      claimWorkers(directory, [...workers, stranger]),
      (error) => error instanceof DatabaseError && error.kind === "unavailable",
    );
  });
});

const fail = () => Promise.reject(new DatabaseError("unavailable", "away"));
const unreachable: Database = { read: fail, write: fail, [Symbol.asyncDispose]: async () => {} };

async function fresh(): Promise<Database> {
  return openPostgres({ url: await (await sharedPostgres()).createDatabase() });
}

async function workerNamed(name: string): Promise<NamedWorker> {
  return { name, database: await fresh() };
}

function refusal(pattern: RegExp) {
  return (error: unknown) => error instanceof ConfigError && pattern.test(error.message);
}
