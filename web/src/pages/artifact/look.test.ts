import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { csvRows } from "./csv.ts";
import { indentedJson } from "./indented-json.ts";
import { lookAt } from "./look.ts";
import { isDrawable, pictureOf } from "./picture.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const latin = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

const png = (width: number, height: number) =>
  latin(`\x89PNG\r\n\x1a\n\0\0\0\rIHDR${numberOf(width)}${numberOf(height)}\x08\x02\0\0\0`);
const numberOf = (value: number) =>
  String.fromCharCode((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);

suite("what is shown of a file", () => {
  test("is told by its bytes, whatever its name says", () => {
    const html = "<html><script>alert(1)</script></html>";
    for (const name of ["page.html", "notes.txt", "plot.png", "x"])
      assert.deepEqual(lookAt(name, bytes(html), true), { kind: "text", text: html });
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    for (const name of ["a.svg", "a.png"])
      assert.deepEqual(lookAt(name, bytes(svg), true), { kind: "text", text: svg });
    assert.equal(lookAt("a.txt", png(3, 2), true).kind, "picture");
    assert.equal(lookAt("a.json", latin("\x80\x02}q\0"), true).kind, "bytes");
    // A picture that is also a program is drawn as a picture, and only by that type.
    const polyglot = latin("GIF89a/*\x10\0*/=1;alert(1)//");
    assert.deepEqual(lookAt("a.js", polyglot, true), {
      kind: "picture",
      type: "image/gif",
      width: 0x2a2f,
      height: 0x10,
    });
  });

  test("a text that was cut within a character is a text, a broken one is not", () => {
    const whole = bytes("über");
    assert.deepEqual(lookAt("a", whole.subarray(0, 1), false), { kind: "text", text: "" });
    assert.equal(lookAt("a", whole.subarray(0, 1), true).kind, "bytes");
    assert.equal(lookAt("a", bytes("a\0b"), true).kind, "bytes");
    assert.equal(lookAt("a", bytes("\x1b[31mred"), true).kind, "text");
    assert.equal(lookAt("a", bytes(""), true).kind, "text");
  });

  test("bytes are numbers and letters", () => {
    const look = lookAt("a", latin("\0\x01ab<"), true);
    assert.equal(
      look.kind === "bytes" && look.text.replaceAll(/ {3,}/g, "  "),
      "000000  00 01 61 62 3c  ··ab<",
    );
  });
});

suite("JSON", () => {
  test("gets lines and keeps its numbers as they are spelled", () => {
    const text = '{"a":[1.0,12345678901234567890,{}],"b\\"}{":"x, y","c":[],"d":{"e":null}}';
    const indented = indentedJson(text)!;
    assert.deepEqual(indented.split("\n").slice(0, 4), [
      "{",
      '  "a": [',
      "    1.0,",
      "    12345678901234567890,",
    ]);
    assert.deepEqual(JSON.parse(indented), JSON.parse(text));
    assert.equal(indentedJson("{"), undefined);
    assert.equal(indentedJson('"a\\\\"'), '"a\\\\"');
  });

  test("that is broken, or only begun, is shown as text", () => {
    assert.equal(lookAt("a.json", bytes('{"a": '), true).kind, "text");
    assert.equal(lookAt("a.json", bytes('{"a": 1}'), false).kind, "text");
    assert.equal(lookAt("a.json", bytes('{"a": 1}'), true).kind, "json");
  });
});

suite("rows", () => {
  const all = { rowsMax: 10, columnsMax: 3, isWhole: true };
  test("with quotation marks, lines within cells, and either separator", () => {
    const text = 'a,"b ""c""\nd",\r\n1,2,3\n';
    assert.deepEqual(csvRows(text, ",", all), {
      rows: [
        ["a", 'b "c"\nd', ""],
        ["1", "2", "3"],
      ],
      isCut: false,
    });
    assert.deepEqual(csvRows("a,b\tc", "\t", all).rows, [["a,b", "c"]]);
    assert.deepEqual(csvRows('"never closed', ",", all).rows, [["never closed"]]);
    assert.deepEqual(csvRows('"a"b,c', ",", all).rows, [["ab", "c"]]);
  });

  test("are cut, and say so", () => {
    assert.deepEqual(csvRows("1,2,3,4\n", ",", all), { rows: [["1", "2", "3"]], isCut: true });
    assert.deepEqual(csvRows("1\n2\n3", ",", { ...all, rowsMax: 2 }).isCut, true);
    // The last row of an incomplete text is left out, as it may be cut.
    assert.deepEqual(csvRows("1\n2", ",", { ...all, isWhole: false }), {
      rows: [["1"]],
      isCut: true,
    });
  });
});

suite("pictures", () => {
  test("say their sizes, and large ones are not drawn", () => {
    assert.deepEqual(pictureOf(png(640, 480)), { type: "image/png", width: 640, height: 480 });
    assert.equal(isDrawable(pictureOf(png(640, 480))!), true);
    assert.equal(isDrawable(pictureOf(png(60_000, 60_000))!), false);
    assert.equal(isDrawable(pictureOf(latin("\x89PNG\r\n\x1a\n"))!), false);
    const jpeg = latin("\xff\xd8\xff\xe0\0\x04ab\xff\xc2\0\x0b\x08\x01\x02\x03\x04\x01");
    assert.deepEqual(pictureOf(jpeg), { type: "image/jpeg", height: 0x102, width: 0x304 });
    const lossy = latin(`RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x80\x02\xe0\x01\0\0`);
    assert.deepEqual(pictureOf(lossy), { type: "image/webp", width: 640, height: 480 });
    const extended = latin(`RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x7f\x02\0\xdf\x01\0`);
    assert.deepEqual(pictureOf(extended), { type: "image/webp", width: 640, height: 480 });
    const bits = 639 + 479 * 16_384;
    const lossless = latin(
      `RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f${numberOf(bits).split("").reverse().join("")}\0\0\0\0\0`,
    );
    assert.deepEqual(pictureOf(lossless), { type: "image/webp", width: 640, height: 480 });
    assert.equal(pictureOf(bytes("P6 640 480")), undefined);
    assert.equal(pictureOf(new Uint8Array(0)), undefined);
  });

  test("a JPEG that never comes to its frame ends the search", () => {
    assert.equal(pictureOf(latin("\xff\xd8\xff" + "\xff".repeat(1_000)))?.width, undefined);
    assert.equal(pictureOf(latin("\xff\xd8\xff\xe0\0\0\0\0\0\0\0\0\0"))?.width, undefined);
  });
});
