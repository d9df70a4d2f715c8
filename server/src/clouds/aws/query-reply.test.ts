import assert from "node:assert/strict";
import { test } from "node:test";
import { readQueryReply } from "./query-reply.ts";

test("texts by their path, with and without declaration, attributes and space between", () => {
  const reply = readQueryReply(
    `<?xml version="1.0" encoding="UTF-8"?>\n<A xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
      <B><C>a&amp;b&#60;&#x3e;</C><D/></B>
      <E> x </E><F></F>
    </A>\n`,
  );
  assert.deepEqual(
    [...(reply ?? [])],
    [
      ["A/B/C", "a&b<>"],
      ["A/E", " x "],
      ["A/F", ""],
    ],
  );
});

test("whatever else is no reply", () => {
  const deep = `${"<a>".repeat(9)}${"</a>".repeat(9)}`;
  for (const text of [
    "",
    "text",
    "{}",
    "<html><br></html>",
    "<A>",
    "</A>",
    "<A></B>",
    "<A/><A/>",
    "<A>x</A>y",
    "<A><B>1</B><B>2</B></A>",
    '<!DOCTYPE A [<!ENTITY x "y">]><A>&x;</A>',
    "<A>&x;</A>",
    "<A>&lt</A>",
    "<A>&#x110000;</A>",
    "<A><![CDATA[x]]></A>",
    "<A><!-- x --></A>",
    "<A b=c/>",
    deep,
  ])
    assert.equal(readQueryReply(text), undefined, text);
});

test("a long reply of nonsense takes no long time", () => {
  for (const piece of ["<", "<a ", "&", "<a b=", '<a b="c" ', "</"])
    assert.equal(readQueryReply(piece.repeat(30_000)), undefined);
});
