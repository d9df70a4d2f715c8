/**
 * The double is only worth its tests when it refuses whatever a real store refuses. Every exchange
 * runs on the real stores and on the double in their dialects; where they differ stands below, and
 * any other difference fails.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Subject, validExchanges, wrongExchanges } from "./exchanges.ts";
import { realStores, type RealStore } from "./real-stores.ts";
import { S3Double } from "./s3-double.ts";
import { createBucket } from "./sdk.ts";
import type { StoreCoordinates } from "./store.ts";

type Statuses = Record<string, number>;

/** The double's dialect for each real store. */
const dialectOfStore = { radosgw: "ceph", swift: "swift" } as const;

/** Requests as AWS takes them and a store does not. Its dialect of the double does as the store. */
const narrower: Record<RealStore["name"], Statuses> = {
  radosgw: { "Complete with some of the parts": 400 },
  swift: { "part 1001": 400, "part 10000": 400 },
};

/** Wrong requests that a store answers otherwise than the double. 200 is a store that is laxer. */
const laxerOrOther: Record<RealStore["name"], Statuses> = {
  radosgw: {
    "no signature": 403,
    "a URL signed an hour ahead": 200,
    "a URL with an unsigned x-amz header": 200,
    "Complete with parts in the wrong order": 200,
    "Complete with the same part twice": 200,
    "Complete of an aborted upload": 500,
    "part 0": 200,
    "part 10001": 200,
  },
  swift: {
    "no signature": 403,
    "no query at all": 400,
    "a URL signed an hour ahead": 200,
    "a header-signed request without its authorization": 400,
  },
};

test("the double takes what is right and refuses what is wrong", async () => {
  await using double = await S3Double.start();
  const { valid, wrong } = await statusesOf(double);
  const unsuccessful = Object.entries(valid).filter(([, status]) => status >= 400);
  assert.deepEqual(Object.fromEntries(unsuccessful), {
    "a range behind the end": 416,
    "a presigned GetObject of nothing": 404,
    "If-Match with another ETag": 412,
  });
  const accepted = Object.entries(wrong).filter(([, status]) => status < 400 || status >= 500);
  assert.deepEqual(accepted, []);
});

for (const store of realStores()) {
  test(`the double is nowhere laxer than ${store.name}, and differs only where it is known`, async () => {
    await using double = await S3Double.start({ dialect: dialectOfStore[store.name] });
    await using asAws = await S3Double.start();
    const [real, inDialect, strictest] = await Promise.all(
      [store, double, asAws].map((one) => statusesOf(one)),
    );
    const known = { ...real.valid, ...real.wrong };
    const here = { ...inDialect.valid, ...inDialect.wrong };
    const laxer = Object.keys(known).filter((name) => known[name] >= 400 && here[name] < 400);
    assert.deepEqual(laxer, []);
    assert.deepEqual(differences(inDialect.valid, real.valid), {});
    assert.deepEqual(differences(inDialect.wrong, real.wrong), laxerOrOther[store.name]);
    assert.deepEqual(differences(strictest.valid, real.valid), narrower[store.name]);
  });
}

interface Outcome {
  valid: Statuses;
  wrong: Statuses;
}

/** The status that each exchange ended with, in a new bucket. */
async function statusesOf(store: StoreCoordinates): Promise<Outcome> {
  const bucket = `agrees-${crypto.randomUUID()}`;
  await createBucket(store, bucket);
  using subject = new Subject(store, bucket);
  const outcome: Outcome = { valid: {}, wrong: {} };
  for (const [name, run] of Object.entries(validExchanges))
    outcome.valid[name] = await run(subject);
  for (const [name, run] of Object.entries(wrongExchanges))
    outcome.wrong[name] = await run(subject);
  return outcome;
}

/** The second's statuses where they are not the first's. */
function differences(first: Statuses, second: Statuses): Statuses {
  return Object.fromEntries(
    Object.entries(second).filter(([name, status]) => status !== first[name]),
  );
}
