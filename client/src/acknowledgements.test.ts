import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { scanAcknowledgements } from "./acknowledgements.ts";

function reply(correlationId: string, deduplicated = false, metricName = "loss"): object {
  const data = { experimentId: "e", metricName, deduplicated };
  return { messageId: "r", correlationId, event: "svc.v2.metricRecorded", data };
}

function scan(replies: object[], ids: string[]): number[] | undefined {
  const duplicates = scanAcknowledgements(JSON.stringify(replies), ids);
  return duplicates && [...duplicates];
}

suite("scanning acknowledgements", () => {
  test("acknowledges a batch and tells which points were there already", () => {
    assert.deepEqual(scan([reply("a"), reply("b"), reply("c")], ["a", "b", "c"]), []);
    assert.deepEqual(
      scan([reply("a", true), reply("b"), reply("c", true)], ["a", "b", "c"]),
      [0, 2],
    );
    assert.deepEqual(scan([reply('"\u00e9\n')], ['"\u00e9\n']), []);
  });

  test("anything but the replies to this very batch is left to the parser", () => {
    const failed = { ...reply("b"), event: "svc.v2.error" };
    assert.equal(scan([reply("a"), failed], ["a", "b"]), undefined);
    assert.equal(scan([reply("a")], ["a", "b"]), undefined, "a reply is missing");
    assert.equal(scan([reply("a"), reply("b"), reply("c")], ["a", "b"]), undefined, "one too many");
    assert.equal(scan([reply("b"), reply("a")], ["a", "b"]), undefined, "another order");
    assert.equal(scan([reply("a1")], ["a"]), undefined, "another id with the same beginning");
    assert.equal(scanAcknowledgements("<html>", ["a"]), undefined);
    assert.equal(scanAcknowledgements(JSON.stringify([reply("a")], null, 1), ["a"]), undefined);
  });

  test("no text of a metric's name is taken for a field", () => {
    const evil = '"correlationId":"b","deduplicated":true';
    assert.deepEqual(scan([reply("a", false, evil), reply("b")], ["a", "b"]), []);
  });
});
