import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { featuresOf, type KeyValue } from "./features.ts";
import {
  experimentsMin,
  importanceOf,
  type Importance,
  type ImportanceRows,
} from "./importance.ts";
import { randomFrom } from "./random.ts";
import { rankCorrelation, middleOf } from "./ranks.ts";

function whole(rows: ImportanceRows): Importance {
  const steps = importanceOf(rows);
  for (;;) {
    const { value, done } = steps.next();
    if (done) return value;
  }
}

type Draw = (random: () => number) => Record<string, KeyValue> & { loss: number };

function rowsOf(count: number, seed: number, draw: Draw): ImportanceRows {
  const random = randomFrom(seed);
  const drawn = Array.from({ length: count }, () => draw(random));
  const fields = Object.keys(drawn[0]).filter((name) => name !== "loss");
  const rows = drawn.map((one, at) => ({
    experimentId: `e${String(at).padStart(5, "0")}`,
    values: fields.map((field) => one[field]),
    target: one.loss,
  }));
  return { fields, rows };
}

/** As a sweep: the learning rate is best in the middle, a width and an optimizer count a little. */
const sweep: Draw = (random) => {
  const lr = 10 ** (-5 + 4 * random());
  const width = [128, 256, 512, 1_024][Math.floor(random() * 4)];
  const optimizer = ["adamw", "lion", "muon", "soap"][Math.floor(random() * 4)];
  const noise = { seed: Math.floor(random() * 1e6), dropout: random() / 2, warm: random() < 0.5 };
  const shift = { adamw: 0.1, lion: 0, muon: 0.05, soap: 0 }[optimizer]!;
  const loss = 3 + (Math.log10(lr) + 3) ** 2 + shift - width / 8_000 + random() / 20;
  return { lr, width, optimizer, ...noise, same: 1, loss };
};

test("what is best in the middle comes first, though its correlation says nothing", () => {
  const { keys, explained, experiments } = whole(rowsOf(210, 7, sweep));
  assert.equal(experiments, 210);
  assert.equal(keys[0].field, "lr");
  assert.ok(keys[0].mean > 0.7 && keys[0].mean - keys[0].spread > 0.4, JSON.stringify(keys[0]));
  assert.ok(Math.abs(keys[0].correlation!) < 0.3, String(keys[0].correlation));
  assert.ok(explained.mean > 0.7, JSON.stringify(explained));
  // One value everywhere matters for nothing.
  assert.ok(!keys.some(({ field }) => field === "same"));
  assert.equal(keys.find(({ field }) => field === "optimizer")!.correlation, undefined);
});

test("of few experiments a forest explains a smooth curve, however they are divided", () => {
  // Deep in a tree most numbers of the tested ones are new to it.
  for (let seed = 1; seed <= 4; seed++) {
    const { explained } = whole(rowsOf(120, seed, sweep));
    assert.ok(explained.mean > 0.85 && explained.spread < 0.1, JSON.stringify(explained));
  }
});

test("noise is not above its uncertainty, whichever numbers it happens to be", () => {
  for (let seed = 1; seed <= 8; seed++) {
    const { keys } = whole(rowsOf(150, seed, sweep));
    for (const { field, mean, spread } of keys)
      if (["seed", "dropout", "warm"].includes(field))
        assert.ok(mean <= spread, `${seed}: ${field} ${mean} ± ${spread}`);
  }
});

test("where nothing matters a forest explains nothing", () => {
  const { keys, explained } = whole(
    rowsOf(120, 3, (random) => ({
      a: random(),
      b: random() < 0.3,
      c: "xyz"[Math.floor(random() * 3)],
      loss: random(),
    })),
  );
  assert.ok(explained.mean <= explained.spread, JSON.stringify(explained));
  for (const { mean, spread } of keys) assert.ok(mean <= spread);
});

test("two keys that matter only together are both seen, and a missing value is one", () => {
  const together = whole(
    rowsOf(400, 5, (random) => {
      const [a, b] = [random(), random()];
      return { a, b, c: random(), loss: (a - 0.5) * (b - 0.5) + random() / 100 };
    }),
  );
  const [first, second, third] = together.keys;
  assert.deepEqual([first.field, second.field].sort(), ["a", "b"]);
  assert.ok(second.mean > second.spread && third.mean <= third.spread);
  const missing = whole(
    rowsOf(60, 5, (random) => {
      const ema = random() < 0.5 ? 0.999 : null;
      return { ema, c: random(), loss: (ema === null ? 1 : 0) + random() / 10 };
    }),
  );
  assert.equal(missing.keys[0].field, "ema");
  assert.ok(missing.keys[0].mean > 0.5);
});

test("the same rows in any order have the same result, to the last digit", () => {
  const rows = rowsOf(60, 11, sweep);
  const turned: ImportanceRows = {
    fields: rows.fields.toReversed(),
    rows: rows.rows.toReversed().map((row) => ({ ...row, values: row.values.toReversed() })),
  };
  assert.deepEqual(whole(turned), whole(rows));
});

test("a logarithm of a number, or of the metric, changes nothing", () => {
  const rows = rowsOf(80, 13, sweep);
  const lr = rows.fields.indexOf("lr");
  const bent: ImportanceRows = {
    fields: rows.fields,
    rows: rows.rows.map((row) => ({
      ...row,
      values: row.values.map((value, at) => (at === lr ? Math.log(value as number) : value)),
      target: Math.log(row.target),
    })),
  };
  assert.deepEqual(whole(bent), whole(rows));
});

test("any values give finite numbers, in steps; too few experiments no bars", () => {
  const value = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.constantFrom("a", "b", "c"),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  const row = fc.tuple(fc.tuple(value, value), fc.double({ noNaN: true, noDefaultInfinity: true }));
  fc.assert(
    fc.property(fc.array(row, { maxLength: 40 }), (drawn) => {
      const rows = drawn.map(([values, target], at) => {
        return { experimentId: String(at), values, target };
      });
      const { keys, explained } = whole({ fields: ["meta.a", "meta.b"], rows });
      for (const { mean, spread } of [...keys, explained])
        assert.ok(Number.isFinite(mean) && spread >= 0);
      if (rows.length < experimentsMin) assert.ok(keys.every(({ mean }) => mean === 0));
    }),
    { numRuns: 30 },
  );
});

test("a key that names each experiment is none, and rare values are one", () => {
  const names = Array.from({ length: 40 }, (_, at) => [`run-${at}`]);
  assert.deepEqual(featuresOf(["name"], names), []);
  const many = Array.from({ length: 200 }, (_, at) => [`host-${at % 60}`]);
  const [{ binCount, kind }] = featuresOf(["host"], many);
  assert.deepEqual([kind, binCount <= 32], ["category", true]);
  const numbers = Array.from({ length: 500 }, (_, at) => [at === 3 ? null : at]);
  const [{ bins }] = featuresOf(["step"], numbers);
  assert.equal(bins[3], 0);
  assert.ok(bins.every((bin, at) => at < 5 || bin >= bins[at - 1]));
});

test("the correlation of ranks has its sign, with equal numbers and without", () => {
  assert.equal(rankCorrelation([1, 10, 100], [3, 2, 1]), -1);
  assert.equal(rankCorrelation([1, 2, 3, 4], [1, 2, 3, 400]), 1);
  assert.equal(rankCorrelation([5, 5], [1, 2]), undefined);
  assert.ok(Math.abs(rankCorrelation([1, 1, 2, 2], [1, 2, 1, 2])!) < 1e-12);
});

test("a key whose best values are in its middle is said to turn there", () => {
  const values = Array.from({ length: 30 }, (_, at) => at);
  const bowl = values.map((value) => (value - 17) ** 2);
  assert.equal(middleOf(values, bowl), "least");
  assert.equal(
    middleOf(
      values,
      bowl.map((value) => -value),
    ),
    "largest",
  );
  assert.equal(middleOf(values, values), undefined);
  assert.equal(middleOf([1, 1, 2, 2], [1, 2, 3, 4]), undefined);
  assert.equal(middleOf([], []), undefined);
});
