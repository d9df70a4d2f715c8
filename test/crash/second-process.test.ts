import assert from "node:assert/strict";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { call } from "../http.ts";
import { Service } from "../service.ts";

/** R12: one data directory has one owner. */
test("a second process on the same data directory is refused with exit code 3", async () => {
  await using first = await Service.start();
  for (let count = 0; count < 3; count++) {
    const second = new Service({ directory: first.directory });
    second.spawn();
    assert.equal(await second.exited, 3, second.errors);
    assert.equal(second.output, "");
    assert.match(second.errors, /\S/);
  }
  assert.equal((await call(first.baseUrl, { path: "/readyz" })).status, 200);
});

test("of two processes that start at once exactly one wins, and a kill frees the directory", async () => {
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-owner-"));
  for (let round = 0; round < 5; round++) {
    const services = [
      new Service({ directory: directory.path }),
      new Service({ directory: directory.path }),
    ];
    const outcomes = await Promise.allSettled(services.map((service) => service.start()));
    const winners = services.filter((_, index) => outcomes[index].status === "fulfilled");
    assert.equal(winners.length, 1, services.map(({ errors }) => errors).join("\n"));
    const loser = services.find((service) => service !== winners[0])!;
    assert.equal(await loser.exited, 3, loser.errors);
    assert.equal((await call(winners[0].baseUrl, { path: "/readyz" })).status, 200);
    await winners[0].kill();
  }
});
