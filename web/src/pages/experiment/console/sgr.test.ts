import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast, lookOf } from "./sgr.ts";

/** Grounds of lines: plain ones, those under the pointer, chosen ones. */
const grounds = {
  light: ["#ffffff", "#eef1ec", "#e3f1ec"],
  dark: ["#1a1f1d", "#222825", "#1d3630"],
} as const;

test("every colour can be read on every ground, in light and in dark", () => {
  const styles = Array.from({ length: 256 }, (_, index) => `38;5;${index}`);
  for (let code = 30; code < 108; code++) styles.push(String(code), `1;${code};44`, `7;${code}`);
  styles.push("38;2;1;2;3", "38:2:250:250:250", "7", "2;33", "30;40", "97;107");
  for (const style of styles) {
    const { colours } = lookOf(style);
    for (const theme of ["light", "dark"] as const) {
      const text = colours[`--${theme}`];
      if (text === undefined) continue;
      const own = colours[`--${theme}-ground`];
      for (const ground of own === undefined ? grounds[theme] : [own]) {
        const found = contrast(rgbOf(text), rgbOf(ground));
        assert.ok(found >= 4.5, `${style} in ${theme}: ${text} on ${ground}: ${found}`);
      }
    }
  }
});

test("codes add up, and 0 ends them", () => {
  assert.deepEqual(lookOf("1;4"), { classes: "bold underlined", colours: {} });
  assert.deepEqual(lookOf("1;31;0;3"), { classes: "italic", colours: {} });
  assert.equal(lookOf("38;5;196;1").classes, "bold ansi");
  assert.deepEqual(lookOf("38;2;0;0;0"), lookOf("38;5;16"));
  assert.deepEqual(lookOf(";;999"), { classes: "", colours: {} });
});

function rgbOf(text: string): [number, number, number] {
  const parts = text.startsWith("#")
    ? text
        .slice(1)
        .match(/../g)!
        .map((part) => Number.parseInt(part, 16))
    : text.match(/\d+/g)!.map(Number);
  return parts as [number, number, number];
}
