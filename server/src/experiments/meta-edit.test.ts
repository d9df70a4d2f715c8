import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { valueAt, withValueAt } from "./meta-edit.ts";

suite("a meta that is edited as text", () => {
  const meta =
    '{"a":1.0,"big":12345678901234567890,"o":{"x":"}],\\"","l":[1,{"x":2}],"e":{}},"\\u00e9":[]}';

  test("what stands at a path is its text", () => {
    const found = (...path: string[]) => valueAt(meta, path);
    assert.equal(found("a"), "1.0");
    assert.equal(found("big"), "12345678901234567890");
    assert.equal(found("o", "x"), '"}],\\""');
    assert.equal(found("o", "l"), '[1,{"x":2}]');
    assert.equal(found("o", "e"), "{}");
    assert.equal(found("é"), "[]");
    assert.equal(found("x"), undefined);
    assert.equal(found("a", "x"), undefined);
    assert.equal(found("o", "l", "0"), undefined);
    assert.equal(found("o", "none", "x"), undefined);
  });

  test("nothing can be put into what is no object", () => {
    assert.equal(withValueAt(meta, ["a", "x"], "1"), undefined);
    assert.equal(withValueAt(meta, ["none", "x"], "1"), undefined);
    assert.equal(withValueAt(meta, ["a", "x"], undefined), meta);
  });

  test("random edits do to the text what they do to the object, and leave the rest as it is", () => {
    const names = ["a", 'q"', "é", "", "__proto__", "x\\"];
    const values = ["1.50", '"}{\\\\"', "[1,[2,{}]]", "null", '{"a":{"a":1}}', "{}", "-0"];
    let seed = 1;
    const random = (most: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % most;
    };
    let text = '{"kept":12345678901234567890}';
    // Maps, since an object has a prototype.
    const model = new Map<string, unknown>([["kept", "12345678901234567890"]]);
    for (let round = 0; round < 5_000; round++) {
      const path = Array.from({ length: 1 + random(3) }, () => names[random(names.length)]);
      const value = random(3) === 0 ? undefined : values[random(values.length)];
      const edited = withValueAt(text, path, value);
      const isDone = setIn(model, path, value);
      assert.equal(edited !== undefined, isDone, text);
      text = edited ?? text;
      assert.equal(text, printed(model));
      assert.equal(valueAt(text, path), isDone ? value : undefined);
      if (text.length > 2_000) break;
    }
  });
});

type Model = Map<string, unknown>;

/** False where it has no place. Objects become maps, all else stays text. */
function setIn(model: Model, path: string[], value: string | undefined): boolean {
  let object: unknown = model;
  for (const name of path.slice(0, -1)) object = object instanceof Map ? object.get(name) : null;
  if (!(object instanceof Map)) return value === undefined;
  if (value === undefined) object.delete(path.at(-1));
  else object.set(path.at(-1), modelOf(value));
  return true;
}

function modelOf(text: string): unknown {
  if (text === '{"a":{"a":1}}') return new Map([["a", new Map([["a", "1"]])]]);
  return text === "{}" ? new Map() : text;
}

function printed(value: unknown): string {
  if (!(value instanceof Map)) return value as string;
  const members = [...value].map(([name, each]) => `${JSON.stringify(name)}:${printed(each)}`);
  return `{${members.join(",")}}`;
}
