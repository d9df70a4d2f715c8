import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { isNever, ruleBody } from "./rule-body.ts";

suite("the rule that a form has", () => {
  const ofForm = (fields: Record<string, string | string[]>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields))
      for (const one of [value].flat()) form.append(name, one);
    return ruleBody(form);
  };
  const old = { name: " old ", kind: "experiments", days: "30", status: ["done", "error"] };

  test("of experiments", () => {
    const plain = { kind: "experiments", folderId: null, olderThanDays: 30 };
    const statuses = ["done", "error"];
    assert.deepEqual(ofForm(old), { name: "old", rule: { ...plain, statuses } });
    const more = {
      query: "meta.lr > 1 ",
      unless: "tag = keep",
      best: "3",
      field: "metric.loss.min",
    };
    assert.deepEqual(ofForm({ ...old, ...more, folderId: "f1", order: "greatest" }).rule, {
      ...plain,
      folderId: "f1",
      statuses,
      query: "meta.lr > 1",
      unless: "tag = keep",
      keepBest: { field: "metric.loss.min", order: "greatest", count: 3 },
    });
    assert.equal(ofForm({ ...old, never: "on" }).rule.olderThanDays, null);
    assert.equal(isNever(ofForm(old).rule), false);
    assert.equal(isNever(ofForm({ ...old, never: "on" }).rule), true);
  });

  test("of versions", () => {
    const last = { name: "last", kind: "versions", place: "/team/model/", keep: "5" };
    const rule = { kind: "versions", under: "team/model", keepLast: 5, olderThanDays: null };
    assert.deepEqual(ofForm(last), { name: "last", rule });
    assert.equal(isNever(ofForm(last).rule), false);
    assert.equal(isNever(ofForm({ ...last, never: "on" }).rule), true);
    assert.deepEqual(ofForm({ ...last, place: "", days: "9", never: "on" }).rule, {
      ...rule,
      under: null,
      keepLast: null,
    });
  });

  test("what is missing is said", () => {
    for (const [fields, message] of [
      [{ ...old, days: "" }, /days ago/],
      [{ ...old, status: [] }, /status/],
      [{ ...old, best: "3" }, /by which metric/],
      [{ ...old, field: "metric.loss" }, /how many of the best/],
      [{ kind: "versions" }, /how many versions/],
    ] as const)
      assert.throws(() => ofForm(fields), { message });
  });
});
