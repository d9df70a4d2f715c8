import assert from "node:assert/strict";
import { test } from "node:test";
import { BadXml, childAt, parseXml, textAt } from "./azure-xml.ts";

test("elements, attributes, entities and what stands before them", () => {
  const root = parseXml(
    '\uFEFF<?xml version="1.0" encoding="utf-8"?>\n<List Of="blobs" at="x">' +
      "<Blob><Name>a&amp;b&lt;&#x1F642;&#65;</Name><Empty /></Blob><Blob/><Next></Next></List>\n",
  );
  assert.equal(root.name, "List");
  assert.equal(textAt(root, "Blob", "Name"), "a&b<🙂A");
  assert.deepEqual(childAt(root, "Blob", "Empty"), { name: "Empty", children: [], text: "" });
  assert.equal(textAt(root, "Next"), "");
  assert.equal(textAt(root, "None", "Name"), undefined);
  assert.equal(root.children.length, 3);
});

test("whatever is more than that, or less, is refused", () => {
  for (const text of [
    "",
    "no xml",
    "<a>",
    "<a></b>",
    "</a>",
    "<a/><b/>",
    "x<a/>",
    "<a/>x",
    "<a",
    "<a>&undefined;</a>",
    "<a>&amp</a>",
    "<a>&#0;</a>",
    "<a>&#x110000;</a>",
    "<a>&</a>",
    '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
    "<a><![CDATA[x]]></a>",
    "<a><!-- x --></a>",
    "<a b=c/>",
    "<a>".repeat(20) + "</a>".repeat(20),
  ])
    assert.throws(() => parseXml(text), BadXml, text);
});

test("a reply of megabytes is read in one go", () => {
  const block = "<Block><Name>AAAA</Name><Size>1</Size></Block>";
  const root = parseXml(`<BlockList>${block.repeat(100_000)}</BlockList>`);
  assert.equal(root.children.length, 100_000);
});
