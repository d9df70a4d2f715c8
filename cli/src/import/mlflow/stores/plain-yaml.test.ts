import assert from "node:assert/strict";
import { test } from "node:test";
import { plainYaml } from "./plain-yaml.ts";

test("meta.yaml as PyYAML writes it", () => {
  const text = String.raw`a: "x x x x\
  \ x x \ty"
b: 'é: ''q'' "d" # no'
c: 'multi

  line


  z'
d: 'true'
e: '12'
g: long text that
  goes on
id: 9223372036854775807
n: null
none: {}
'name: odd': 1
tags:
  mlflow.data.context: train
z: 1e5
`;
  assert.deepEqual(plainYaml(text), {
    a: "x x x x x x \ty",
    b: `é: 'q' "d" # no`,
    c: "multi\nline\n\nz",
    d: "true",
    e: "12",
    g: "long text that goes on",
    id: "9223372036854775807",
    n: null,
    none: {},
    "name: odd": 1,
    tags: { "mlflow.data.context": "train" },
    z: "1e5",
  });
  assert.throws(() => plainYaml("a: &anchor 1\n"), /not understood/);
});
