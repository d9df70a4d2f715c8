import assert from "node:assert/strict";
import { test } from "node:test";
import type { ViewedVersion } from "@lossless/client";
import { withNewest, withOlder } from "./known-versions.ts";

const page = (names: string, next: string | null) => ({
  versions: names.split("").map((version) => ({ version }) as ViewedVersion),
  next,
});
const names = ({ versions }: { versions: readonly ViewedVersion[] }) =>
  versions.map(({ version }) => version).join("");

test("older versions stay while newer ones come", () => {
  let known = withNewest(undefined, page("987", "7"));
  known = withOlder(known, "7", page("654", "4"));
  // The same page twice, as requested by two clicks.
  known = withOlder(known, "7", page("654", "4"));
  assert.deepEqual([names(known), known.next], ["987654", "4"]);
  known = withNewest(known, page("ba9", "9"));
  assert.deepEqual([names(known), known.next], ["ba987654", "4"]);
  known = withOlder(known, "4", page("321", null));
  assert.deepEqual([names(known), known.next], ["ba987654321", null]);
});

test("where more came than a page has, nothing is left out between", () => {
  const known = withNewest(withNewest(undefined, page("321", null)), page("zyx", "x"));
  assert.deepEqual([names(known), known.next], ["zyx", "x"]);
});

test("an artifact without versions has none", () => {
  assert.deepEqual(withNewest(undefined, page("", null)), { versions: [], next: null });
});
