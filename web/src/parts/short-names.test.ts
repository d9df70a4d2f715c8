import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { distinctParts, fitted, shortNames, shortParts } from "./short-names.ts";

const width = (text: string) => Array.from(text).length;
const cut = (names: readonly string[], room: number) => [
  ...shortNames(names, room, width).values(),
];

/** Names as those of a sweep of four optimizers, each with its own learning rate. */
const sweep = Array.from({ length: 60 }, (_, at) => {
  const rate = `${1 + (at % 9)}.${(at * 7) % 10}e-0${1 + (at % 4)}`;
  const optimizer = ["muon", "adamw", "soap", "lion"][at % 4];
  return `resnet18-${optimizer}-lr${rate}-bs${[32, 64, 128][at % 3]}-seed${at % 5}`;
});

suite("names of a scheme", () => {
  test("lose the words that all have, then labels of numbers, and then the least telling words", () => {
    assert.equal(cut(sweep, 36)[0], "resnet18-muon-lr1.0e-01-bs32-seed0");
    assert.equal(cut(sweep, 28)[0], "…muon-lr1.0e-01-bs32-seed0");
    assert.equal(cut(sweep, 25)[0], "muon-lr1.0e-1-bs32-seed0");
    assert.equal(cut(sweep, 20)[0], "muon-l1.0e-1-b32-s0");
    assert.equal(cut(sweep, 17)[0], "muon-1.0e-1-32-0");
    assert.equal(cut(sweep, 12)[0], "…l1.0e-1-…s0");
  });

  test("have the same columns in all rows, in any room", () => {
    for (let room = 6; room <= 36; room++) {
      const shapes = cut(sweep, room)
        .map((text) => text.replace(/\p{L}*…?\p{L}*(?=-)/u, "#").replace(/\d[\d.]*/g, "0"))
        .map((text) => text.replace(/muon|adamw|soap|lion/u, "#"));
      const most = shapes.filter((shape) => shape === shapes[0]).length;
      assert.ok(most >= 54, `${room}: ${[...new Set(shapes)].join(" ")}`);
    }
  });

  test("are told apart as long as their difference has room", () => {
    for (const room of [36, 28, 24, 20, 17])
      assert.equal(new Set(cut(sweep, room)).size, new Set(sweep).size, `${room}`);
    const three = [1, 2, 3].map((rate) => `resnet18-muon-lr${rate}.4e-03-bs64-seed1`);
    assert.deepEqual(cut(three, 12), ["…lr1.4e-03…", "…lr2.4e-03…", "…lr3.4e-03…"]);
    assert.deepEqual(cut(three, 9), ["lr1.4e-03", "lr2.4e-03", "lr3.4e-03"]);
    assert.equal(new Set(cut(three, 4)).size, 3);
  });

  test("are as they were beside a name of another scheme", () => {
    for (const room of [36, 28, 24, 18, 10]) {
      const [other, ...rest] = cut(["my best run", ...sweep], room);
      assert.deepEqual(rest, cut(sweep, room), `${room}`);
      assert.equal(other, room > 10 ? "my best run" : "my …st run");
    }
  });

  test("keep what a few long ones lose", () => {
    const long = sweep.with(0, "resnet18-schedulefreeadamw-lr1.0e-01-bs32-seed0");
    assert.equal(cut(long, 36)[1], sweep[1]);
    assert.equal(cut(long, 36)[0], "resnet18-sche…w-lr1.0e-01-bs32-seed0");
  });
});

test("what nearly all names have in common is left out, by whole words", () => {
  assert.deepEqual(distinctParts(["sweep/lr0.1-s1", "sweep/lr0.1-s2"]), ["s1", "s2"]);
  assert.deepEqual(distinctParts(["lr0.1", "lr0.2"]), ["lr0.1", "lr0.2"]);
  assert.deepEqual(distinctParts(["opt=lion width=256 depth=6", "opt=muon width=512 depth=6"]), [
    "lion 256",
    "muon 512",
  ]);
  assert.deepEqual(distinctParts(["run-1-long", "run-2-long"]), ["1", "2"]);
  assert.deepEqual(distinctParts(["run-1-a", "run-2-a", "other"]), ["1", "2", "other"]);
  assert.deepEqual(distinctParts(["a/", "a/b"]), ["a/", "a/b"]);
  assert.deepEqual(distinctParts(["a/b"]), ["a/b"]);
  assert.deepEqual(distinctParts([]), []);
});

test("exponents of numbers, and numbers with a point, are one word", () => {
  assert.deepEqual(distinctParts(["lr 1e-3 a", "lr 1e-4 a"]), ["1e-3", "1e-4"]);
  assert.deepEqual(distinctParts(["wd0.1.final", "wd0.2.final"]), ["wd0.1", "wd0.2"]);
});

test("a long name loses its middle", () => {
  assert.equal(fitted("2024-10-10_Muon", 20, width), "2024-10-10_Muon");
  assert.equal(fitted("2024-10-10_Muon", 9, width), "20…0_Muon");
  assert.equal(fitted("𝔘𝔫𝔦𝔠𝔬𝔡𝔢", 4, width), "𝔘…𝔡𝔢");
  assert.equal(fitted("long", 0, width), "");
});

test("a name that is alone loses its folders first", () => {
  assert.deepEqual(cut(["models/2024/lion-w256"], 14), ["…lion-w256"]);
  assert.deepEqual(cut(["models/2024/lion-w256"], 18), ["…2024/lion-w256"]);
});

test("names that are cut within words keep the letters by which they are told apart", () => {
  const early = ["adam-of-many-steps", "muon-of-many-turns", "muon-of-many-steps"];
  assert.equal(new Set(cut(early, 9)).size, 3);
  const late = ["one-long-name", "two-long-name-too", "two-long-nose-too"];
  assert.deepEqual(cut(late, 14), ["one-long-name", "…long-name-too", "…long-nose-too"]);
  const keys = ["lr1-wd1-a-seed", "lr1-wd2-a-seed2", "lr2-wd1-bb-seed"];
  assert.equal(new Set(cut(keys, 9)).size, 3);
  assert.deepEqual(cut(["aaaaaaaaaaXbbbbbbbbbb", "aaaaaaaaaaYbbbbbbbbbb"], 3), ["…X…", "…Y…"]);
});

/** Numbers from 0 on below a limit, the same at each run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

test("random names are never wider than their room, keep their order, and differ where they can", () => {
  for (let seed = 1; seed <= 80; seed++) {
    const below = numbers(seed);
    const places = Array.from({ length: 1 + below(5) }, (_, at) => ({
      label: ["lr", "seed", "", "é日", "opt="][below(5)] + ["", "a"][below(2)],
      values: 1 + below(at === 0 ? 3 : 30),
      separator: ["-", "_", "/", " ", "."][below(5)],
    }));
    const names = Array.from({ length: 1 + below(40) }, () =>
      places.map((one) => `${one.label}${below(one.values)}`).join(places[0].separator),
    );
    if (below(3) === 0) names.push("another one", "x");
    const longest = Math.max(...names.map(width));
    for (let room = 0; room <= longest + 1; room += room > longest - 3 ? 1 : 1 + below(4)) {
      const short = shortNames(names, room, width);
      const said = () => JSON.stringify({ seed, room, short: [...short] });
      assert.equal(short.size, new Set(names).size);
      for (const [name, text] of short) {
        assert.ok(width(text) <= room, said());
        assert.ok(isCutOf(text, name), said());
        if (room >= longest) assert.equal(text, name);
      }
      const texts = new Set(short.values());
      if (room >= longest - 1 && room > 3) assert.equal(texts.size, short.size, said());
      const parts = distinctParts(names);
      assert.equal(new Set(parts).size, short.size);
      if (parts.every((part) => width(part) <= room))
        assert.deepEqual(shortParts(names, room, width), parts);
    }
  }
});

/** Whether a text has letters of a name in their order, with or without signs where some lack. */
function isCutOf(text: string, name: string): boolean {
  let at = 0;
  for (const letter of text.replaceAll("…", "")) {
    const found = name.indexOf(letter, at);
    if (found < 0) return false;
    at = found + letter.length;
  }
  return true;
}
