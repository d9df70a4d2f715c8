import assert from "node:assert/strict";
import { test } from "node:test";
import { attachmentOf } from "./attachment.ts";

test("a name is told as it is, and where headers cannot, both ways", () => {
  const told: [string, string][] = [
    ["model.pkl", "filename=model.pkl"],
    ["a b.txt", 'filename="a b.txt"'],
    ['a"b\\.txt', "filename=\"a-b-.txt\"; filename*=UTF-8''a%22b%5C.txt"],
    [
      "\u00e9t\u00e9 (1).png",
      "filename=\"-t- (1).png\"; filename*=UTF-8''%C3%A9t%C3%A9%20%281%29.png",
    ],
    ["", 'filename=""'],
  ];
  for (const [name, header] of told) assert.equal(attachmentOf(name), `attachment; ${header}`);
});
