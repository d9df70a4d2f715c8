import assert from "node:assert/strict";
import { test } from "node:test";
import { guessedQuery } from "./query-guess.ts";
import { readQuery } from "./query-language.ts";

test("words that look like a test of another language are answered with ours", () => {
  const guesses: Record<string, string | undefined> = {
    "tags contains baseline": "tag ~ baseline",
    'tags CONTAINS "a b" points > 3': 'tag ~ "a b" and points > 3',
    "adam tags:good": "adam and tag ~ good",
    "name: sweep": "slug ~ sweep or name ~ sweep",
    "Name contains muon": "slug ~ muon or name ~ muon",
    "Name contains muon points > 3": "(slug ~ muon or name ~ muon) and points > 3",
    'displayName contains "a b"': 'slug ~ "a b" or name ~ "a b"',
    "name ~ muon": "slug ~ muon",
    "name = muon-3": "slug ~ muon-3",
    "Tags contains baseline": "tag ~ baseline",
    "status:done": "status = done",
    "status:Failed": "status = error",
    "state:crashed": "status = error",
    "state: crashed adam": "status = error and adam",
    "State contains finished": "status = done",
    "state:runing": "state = running",
    "status:active": "status = running",
    tags: "tag",
    "created after 2026-01-01": "created > 2026-01-01",
    "created > 2026-01-01 08:30": "created > 2026-01-01T08:30Z",
    "created > 7d": "created > -7d",
    "state = finished": "status = done",
    "state = gone (a or b)": "status = error and (a or b)",
    // These are as they were meant, or may be.
    "created > -7d": undefined,
    "created > 2026-01-01 adam": undefined,
    "loss is high": undefined,
    "user project": undefined,
    "name != muon": undefined,
    "state:quantum": undefined,
    "http://host/a": undefined,
    "adam or tags": undefined,
    "state != finished": undefined,
    "slug =": undefined,
    "": undefined,
  };
  for (const [query, guess] of Object.entries(guesses)) {
    assert.equal(guessedQuery(query), guess, query);
    if (guess !== undefined) assert.equal(guessedQuery(guess), undefined);
  }
  assert.equal(guessedQuery("state:silent"), "state = silent");
});

test("names and values of other trackers are refused with ours, which are read", () => {
  const refused: [query: string, suggestion: string | undefined][] = [
    ["tags = a", "tag"],
    ["runtime > 1h", "duration"],
    ["displayName = a", "name"],
    ["created_at > -7d", "created"],
    ["user = ada", "meta._environment.user"],
    ["status = finished", "done"],
    ["status != crashed", "error"],
    ["status in (failed, done)", "error"],
    ["state = crashed", "gone"],
    ["state = failed", "exited"],
    ["created > yesterday", "-1d"],
    ["created > 7 days", "-7d"],
    ["created > 2026/03/01", "2026-03-01"],
    ['created > "2026-03-01 12:00"', "2026-03-01T12:00Z"],
    ["created > 2026-03-01T12:00:00.000Z", "2026-03-01T12:00:00Z"],
    ["created > 2026-02-30", undefined],
    ["duration > 1 h", "1h"],
    ["duration > 60min", "60m"],
    ["duration > 2 months", undefined],
    ["silent > 10", undefined],
    ["points > constructor", undefined],
    ["state = constructor", undefined],
  ];
  for (const [query, suggestion] of refused)
    assert.equal(readQuery(query).error?.suggestion, suggestion, query);
  const { error } = readQuery("runtime > 1h");
  assert.match(error!.messageWith(["meta.runtime"]), /did you mean duration or meta\.runtime\?$/);
  const user = readQuery("user = ada").error!;
  assert.match(user.messageWith([]), /did you mean meta\._environment\.user\?$/);
  assert.doesNotMatch(readQuery("lr = 1").error!.messageWith([]), /did you mean/);
  const between = readQuery("created between 2026-01-01 and 2026-02-01").error?.message;
  assert.match(between ?? "", /created >= 2026-01-01 and created <= 2026-02-01/);
});
