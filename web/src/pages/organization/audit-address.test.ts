import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { auditAddress, auditQuery } from "./audit-address.ts";

suite("the address of the audit log", () => {
  const read = (text: string) => {
    const parameters = new URLSearchParams(text);
    return auditAddress((name) => parameters.get(name) ?? undefined);
  };

  test("says what is asked; the last day is whole", () => {
    const address = read("action=apiKey&actor=p1&since=2026-11-01&until=2026-11-30");
    assert.deepEqual(auditQuery(address), {
      action: "apiKey",
      actor: "p1",
      subject: undefined,
      sinceMs: new Date(2026, 10, 1).getTime(),
      untilMs: new Date(2026, 11, 1).getTime(),
    });
  });

  test("what is no day is none", () => {
    for (const day of ["yesterday", "2026-1-1", "2026-11-01T00:00", "", "0000-00-00"])
      assert.equal(read(`since=${day}`).since, undefined, day);
  });

  test("nothing asked is everything", () => {
    assert.ok(Object.values(auditQuery(read(""))).every((value) => value === undefined));
  });
});
