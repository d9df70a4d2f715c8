import { test } from "node:test";
import { runFailpoints } from "./artifact-failpoints.ts";

/** Each point once; `npm run crash:artifacts -- --times 50` goes on. */
for (const store of ["built-in", "s3"] as const) {
  test(`R2: killed at each point of open, begin and commit, versions at ${store} are whole or not there`, async (context) => {
    const report = await runFailpoints({ times: 1, store, seed: 20_261_121 });
    context.diagnostic(JSON.stringify(report));
  });
}
