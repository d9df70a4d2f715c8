import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { directionsText, readDirections, usualDirection } from "./directions.ts";

suite("the better direction of a metric", () => {
  test("less is better of a loss, more of an accuracy, and nobody knows it of others", () => {
    for (const name of [
      "loss",
      "val/loss",
      "train_loss",
      "valLoss",
      "val/error",
      "Loss",
      "loss.ema",
      "eval/ppl",
    ])
      assert.equal(usualDirection(name), "least", name);
    for (const name of ["acc", "val/accuracy", "valAccuracy", "test_f1", "episode/reward"])
      assert.equal(usualDirection(name), "most", name);
    for (const name of [
      "lossless",
      "glossary",
      "terror/s",
      "lr",
      "errors_fixed",
      "accelerator",
      "vacc",
    ])
      assert.equal(usualDirection(name), "none", name);
  });

  test("the largest loss and the least accuracy on the way are nothing to reach", () => {
    assert.equal(usualDirection("val/loss", "max"), "none");
    assert.equal(usualDirection("val/loss", "min"), "least");
    assert.equal(usualDirection("acc", "min"), "none");
    assert.equal(usualDirection("acc", "max"), "most");
  });

  test("those that a reader chose are in the address", () => {
    const chosen = new Map([
      ["a,b", "most"],
      ["c d", "none"],
    ] as const);
    assert.deepEqual(readDirections(directionsText(chosen)), chosen);
    assert.deepEqual(readDirections("up x,least %E0"), new Map([["%E0", "least"]]));
  });
});
