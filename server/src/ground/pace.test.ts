import { test } from "node:test";
import { Pace } from "./pace.ts";

test("who takes waits a bounded time for what others spent", async () => {
  const pace = new Pace(1, 10);
  // Eleven days: a timer of more than 25 would end at once.
  pace.spend(1_000_000);
  await pace.take(1, AbortSignal.timeout(60_000));
});
