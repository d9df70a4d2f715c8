import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { linkOf } from "./link.ts";
import { definitionsOf, parseMarkdown } from "./markdown.ts";

suite("links of a report", () => {
  const origin = "http://127.0.0.1:8080";
  const dataset: { base?: string } = {};
  before(() =>
    Object.assign(globalThis, {
      window: { location: { origin } },
      document: { documentElement: { dataset } },
    }),
  );
  after(() => ["window", "document"].forEach((name) => Reflect.deleteProperty(globalThis, name)));

  test("links lead to pages of ours or by http elsewhere, and nowhere else", () => {
    assert.deepEqual(linkOf("/compare?e=1#a"), { kind: "own", href: "/compare?e=1#a" });
    assert.deepEqual(linkOf(`${origin}/go`), { kind: "own", href: "/go" });
    assert.deepEqual(linkOf("https://arxiv.org/abs/1"), {
      kind: "other",
      href: "https://arxiv.org/abs/1",
    });
    assert.equal(linkOf("//evil.test/x")?.kind, "other");
    for (const url of [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "https://user:password@evil.test/",
      "blob:http://127.0.0.1:8080/x",
      "https://",
    ])
      assert.equal(linkOf(url), undefined, url);
  });

  test("below a path what names our host is ours only below it", () => {
    dataset.base = "/lossless";
    for (const url of ["/go?slug=a", "/lossless/go?slug=a", `${origin}/lossless/go?slug=a`])
      assert.equal(linkOf(url)?.kind, "own", url);
    for (const url of [`${origin}/go`, `${origin}/losslessly/go`, "//evil.test/lossless/go"])
      assert.equal(linkOf(url)?.kind, "other", url);
    delete dataset.base;
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
});
