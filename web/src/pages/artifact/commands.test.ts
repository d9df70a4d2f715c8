import assert from "node:assert/strict";
import { test } from "node:test";
import { pullCommand } from "../../parts/shell-word.ts";
import { pullPrograms } from "./commands.ts";

test("a command takes every name for one word", () => {
  assert.equal(pullCommand("runs/a", "0001"), "lossless pull runs/a --version 0001");
  assert.equal(pullCommand("it's $HOME", "1"), "lossless pull 'it'\\''s $HOME' --version 1");
  assert.equal(pullCommand("-rf", "1"), "lossless pull --version 1 -- '-rf'");
});

test("programs name the version, its last word as directory, and the service", () => {
  const [, python, typescript] = pullPrograms("https://l.example", 'runs/"a"', "2");
  assert.match(
    python.text,
    /load_artifact\("runs\/\\"a\\"", "\\"a\\"", "2", url="https:\/\/l.example"\)/,
  );
  assert.match(typescript.text, /artifact: "runs\/\\"a\\"", version: "2", directory: "\\"a\\""/);
});
