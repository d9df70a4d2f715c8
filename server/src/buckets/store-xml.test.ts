import assert from "node:assert/strict";
import { test } from "node:test";
import { BadXml, childAt, parseXml, parseXmlList, textAt, TooMuchXml } from "./store-xml.ts";

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

test("what costs much to read is refused, within and beyond one megabyte", async () => {
  const large = {
    attributes: `<a ${Array.from({ length: 1_000_000 }, (_, i) => `a${i}="b"`).join(" ")}/>`,
    entities: `<a>${"&lt;".repeat(4_000_000)}</a>`,
    "entities of many elements": `<a>${`<b>${"&lt;".repeat(1_000)}</b>`.repeat(100)}</a>`,
    text: `<a>${"x".repeat(1_000_000)}</a>`,
    elements: `<a>${"<b/>".repeat(1_000_000)}</a>`,
    "elements with attributes": `<a>${'<b c="d"/>'.repeat(100_000)}</a>`,
  };
  for (const [what, text] of Object.entries(large)) {
    assert.throws(() => parseXml(text), TooMuchXml, what);
    await assert.rejects(parseXmlList(text), TooMuchXml, what);
  }
  const nested = "<a>".repeat(100_000) + "</a>".repeat(100_000);
  await assert.rejects(parseXmlList(nested), BadXml);
  await assert.rejects(parseXmlList("<!DOCTYPE a>".repeat(100_000)), BadXml);
  await assert.rejects(parseXmlList('<?xml version="1.0"?>'.repeat(100_000)), BadXml);
  assert.throws(() => parseXml("<a>&constructor;</a>"), BadXml);
});

test("a list of megabytes is read in turns, a small reply in one go", async () => {
  const block = "<Block><Name>AAAA</Name><Size>1</Size></Block>";
  const list = `<BlockList xmlns='x'>${block.repeat(20_000)}</BlockList>`;
  let turns = 0;
  const count = () => {
    turns++;
    if (turns < 1_000) next = setImmediate(count);
  };
  let next = setImmediate(count);
  assert.equal((await parseXmlList(list)).children.length, 20_000);
  clearImmediate(next);
  assert.ok(turns >= 10, `${turns} turns of others`);
  assert.throws(() => parseXml(list), TooMuchXml);
  const spaces = " ".repeat(60_000);
  assert.equal(textAt(parseXml(`<?xml version='1.0'?>\n${spaces}<a><b>c</b></a>`), "b"), "c");
});
