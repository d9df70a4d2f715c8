import assert from "node:assert/strict";
import { test } from "node:test";
import { FairLine } from "./fair-line.ts";
import { FairShares } from "./fair-shares.ts";

/** Works that end when they are told to; `begun` has their names in the order in which they began. */
function works(slots: number, places: number) {
  const line = new FairLine(new FairShares(slots), new FairShares(places));
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string) =>
    line.run(name[0], async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  const end = async (name: string) => {
    ends.get(name)!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { line, begun, start, end };
}

test("one holder's works wait for each other, and another's begins before those that came earlier", async () => {
  const { line, begun, start, end } = works(4, 100);
  const all = ["a1", "a2", "a3", "a4", "b1", "c1"].map(start);
  assert.deepEqual(begun, ["a1", "a2", "b1", "c1"]);
  assert.equal(line.waiting, 2);
  await end("a1");
  await end("b1");
  assert.deepEqual(begun.slice(4), ["a3"]);
  await end("c1");
  await end("a2");
  assert.deepEqual(begun.slice(5), ["a4"]);
  for (const name of ["a3", "a4"]) await end(name);
  assert.deepEqual(
    (await Promise.all(all)).map((one) => one?.result),
    ["a1", "a2", "a3", "a4", "b1", "c1"],
  );
  assert.equal(line.waiting, 0);
});

test("nobody fills the line, and a work that fails gives its slot back", async () => {
  const { line, start, end } = works(1, 4);
  const failing = line.run("a", () => Promise.reject(new Error("no")));
  const waiting = [start("a1"), start("a2")];
  assert.equal(await start("a3"), undefined);
  const other = start("b1");
  await assert.rejects(failing, /no/);
  await new Promise((resolve) => setImmediate(resolve));
  for (const name of ["a1", "a2", "b1"]) await end(name);
  assert.deepEqual(
    (await Promise.all([...waiting, other])).map((one) => one?.result),
    ["a1", "a2", "b1"],
  );
});
