import assert from "node:assert/strict";
import { test } from "node:test";
import { pictureFacts, requirePicture } from "./picture-type.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const pictures = {
  "image/png": hex("89504e470d0a1a0a 0000000d 49484452 00000280 000001e0 0802000000 00000000"),
  "image/gif": hex("474946383961 8002 e001 000000 3b"),
  "image/jpeg": hex(
    "ffd8 ffe0 0010 4a46494600 0101 00 0001 0001 0000 fffe 0004 6869 ff ffc2 000b 08 01e0 0280 01 011100",
  ),
  "image/webp": hex("52494646 1e000000 57454250 56503820 12000000 300100 9d012a 8002 e001 0000"),
};

test("pictures tell their type and size by their bytes, and the beginning of one is none", () => {
  for (const [type, bytes] of Object.entries(pictures)) {
    assert.deepEqual(pictureFacts(bytes), { type, width: 640, height: 480 }, type);
    for (let length = 0; length < 6; length++)
      assert.equal(pictureFacts(bytes.subarray(0, length)), undefined);
    // Whatever is cut off, nothing is read beyond the end.
    for (let length = 0; length <= bytes.length; length++) pictureFacts(bytes.subarray(0, length));
  }
  const lossless = hex("52494646 1a000000 57454250 5650384c 0d000000 2f 7fc27700 0000");
  assert.deepEqual(pictureFacts(lossless), { type: "image/webp", width: 640, height: 480 });
  const extended = hex("52494646 16000000 57454250 56503858 0a000000 00000000 7f0200 df0100");
  assert.deepEqual(pictureFacts(extended), { type: "image/webp", width: 640, height: 480 });
  // Colours, an extension, and a first frame that is larger than the screen.
  const framed = hex(
    "474946383961 0100 0100 800000 000000ffffff 21f9 04 00000000 00 2c 0000 0000 8002 e001 00",
  );
  assert.deepEqual(pictureFacts(framed), { type: "image/gif", width: 640, height: 480 });
});

test("what is no picture, has no size, or too many pixels, is refused", () => {
  const empty = Buffer.from(pictures["image/png"]);
  empty.writeUInt32BE(0, 16);
  const others = ["<svg/>", "<!doctype html>", "BM", "GIF88a......", "RIFF....WEBPxxxx........"];
  for (const bytes of [empty, ...others.map((text) => Buffer.from(text))])
    assert.throws(() => requirePicture(bytes, 1e6), { code: "bad_request" });
  assert.throws(() => requirePicture(pictures["image/png"], 640 * 480 - 1), /307,200 pixels/);
  assert.equal(requirePicture(pictures["image/png"], 640 * 480).width, 640);
});
