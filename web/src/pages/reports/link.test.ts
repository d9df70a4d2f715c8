import assert from "node:assert/strict";
import { test } from "node:test";
import { linkOf } from "./link.ts";
import { definitionsOf, parseMarkdown } from "./markdown.ts";

const origin = "http://127.0.0.1:8080";

test("links lead to pages of ours or by http elsewhere, and nowhere else", () => {
  assert.deepEqual(linkOf("/compare?e=1#a", origin), { kind: "own", href: "/compare?e=1#a" });
  assert.deepEqual(linkOf(`${origin}/go`, origin), { kind: "own", href: "/go" });
  assert.deepEqual(linkOf("https://arxiv.org/abs/1", origin), {
    kind: "other",
    href: "https://arxiv.org/abs/1",
  });
  assert.equal(linkOf("//evil.test/x", origin)?.kind, "other");
  for (const url of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "https://user:password@evil.test/",
    "blob:http://127.0.0.1:8080/x",
    "https://",
  ])
    assert.equal(linkOf(url, origin), undefined, url);
});

test("Markdown is GitHub's, and what nests without end is only text", () => {
  const kinds = parseMarkdown("# A\n\n|a|\n|-|\n|b|\n\n- [x] ~~c~~\n")!.children.map(
    ({ type }) => type,
  );
  assert.deepEqual(kinds, ["heading", "table", "list"]);
  assert.equal(parseMarkdown(">".repeat(30_000)), undefined);
  assert.equal(parseMarkdown("- ".repeat(15_000)), undefined);
  assert.notEqual(parseMarkdown(">> > a\n\n- - b\n\n---\n"), undefined);
  const found = definitionsOf(parseMarkdown("> [a]: /one\n\n[a]: /two\n")!);
  assert.equal(found.get("a")?.url, "/one");
});
