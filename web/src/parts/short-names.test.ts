import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { fitted, shortNames } from "./short-names.ts";

const width = (text: string) => Array.from(text).length;
const cut = (names: readonly string[], room: number) => [
  ...shortNames(names, room, width).values(),
];

/** Names as those of a sweep of four optimizers. */
const sweep = Array.from({ length: 60 }, (_, at) => {
  const optimizer = ["soap", "muon", "adamw", "lion"][at % 4];
  const rate = ["0.0003", "0.0014", "0.01"][at % 3];
  return `${optimizer}-lr${rate}-bs${[64, 128][Math.floor(at / 12) % 2]}-seed${Math.floor(at / 12)}`;
});

suite("short names", () => {
  test("are whole where they fit, each by itself", () => {
    const names = ["baseline", "my best run of the year", "soap-lr0.0014-bs64"];
    assert.deepEqual(cut(names, 18), ["baseline", "my best … the year", "soap-lr0.0014-bs64"]);
    assert.deepEqual(cut(["soap-seed1", "soap-seed10"], 10), ["soap-seed1", "…seed10"]);
  });

  test("have a sign for the words that all names have, and no letter less where that is enough", () => {
    assert.deepEqual(cut(["soap-lr0.1-bs64-s0", "muon-lr0.2-bs64-s1"], 17), [
      "soap-lr0.1-…s0",
      "muon-lr0.2-…s1",
    ]);
  });

  test("lose letters of their middle where that is not enough", () => {
    assert.deepEqual(cut(["2024-06-10_Muon", "2025-10-09_SOAP"], 12), [
      "2024-…0_Muon",
      "2025-…9_SOAP",
    ]);
    assert.deepEqual(cut(["a-very-long-name"], 9), ["a-ve…name"]);
    assert.deepEqual(cut(["long", "name"], 0), ["", ""]);
  });

  test("are cut where they are told apart", () => {
    const early = ["adam-of-many-steps", "muon-of-many-turns", "muon-of-many-steps"];
    assert.equal(new Set(cut(early, 9)).size, 3);
    const middle = ["aaaaaaaaaaXbbbbbbbbbb", "aaaaaaaaaaYbbbbbbbbbb"];
    assert.deepEqual(cut(middle, 3), ["…X…", "…Y…"]);
    assert.equal(new Set(cut(["aé日本語語語b", "aé日本誤語語b"], 4)).size, 2);
    for (const room of [22, 20, 18, 16])
      assert.equal(new Set(cut(sweep, room)).size, 60, `${room}`);
  });
});

test("a long text loses its middle", () => {
  assert.equal(fitted("2024-10-10_Muon", 20, width), "2024-10-10_Muon");
  assert.equal(fitted("2024-10-10_Muon", 9, width), "20…0_Muon");
  assert.equal(fitted("𝔘𝔫𝔦𝔠𝔬𝔡𝔢", 4, width), "𝔘…𝔡𝔢");
  assert.equal(fitted("long", 0, width), "");
});

/** Numbers from 0 on below a limit, the same at each run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Lists of names, from those of one scheme to those with nothing in common. */
function listOf(seed: number): string[] {
  const below = numbers(seed);
  const places = Array.from({ length: 1 + below(5) }, (_, at) => ({
    label: ["lr", "seed", "", "é日", "opt="][below(5)] + ["", "a"][below(2)],
    values: 1 + below(at === 0 ? 3 : 30),
    separator: ["-", "_", "/", " ", "."][below(5)],
  }));
  const names = Array.from({ length: 1 + below(40) }, () =>
    places.map((one) => `${one.label}${below(one.values)}`).join(places[0].separator),
  );
  return below(3) === 0 ? [...names, "another one", "x"] : names;
}

suite("random names, in any room,", () => {
  const all = Array.from({ length: 60 }, (_, seed) => {
    const names = listOf(seed);
    const longest = Math.max(...names.map(width));
    return Array.from({ length: longest + 1 }, (_, room) => {
      const short = [...shortNames(names, room, width)];
      return { room, longest, short, said: JSON.stringify({ seed, room, short }) };
    });
  }).flat();

  test("are whole if they fit, and else never wider than it", () => {
    for (const { short, room, said } of all)
      for (const [name, text] of short)
        if (width(name) <= room) assert.equal(text, name);
        else assert.ok(width(text) <= room, said);
  });

  test("have a sign wherever something is left out", () => {
    for (const { short, said } of all)
      for (const [name, text] of short) {
        if (text === "" || text === name) continue;
        assert.ok(text.includes("…") && !text.includes("……"), said);
        const parts = text.split("…").map((part) => RegExp.escape(part));
        assert.match(name, new RegExp(`^${parts.join(".+")}$`, "su"), said);
      }
  });

  test("are different texts if they are cut but little", () => {
    for (const { short, room, longest, said } of all)
      if (room > 3 && room >= longest - 2)
        assert.equal(new Set(short.map(([, text]) => text)).size, short.length, said);
  });
});
