import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { LosslessClient, ReportAttemptBody } from "@lossless/client";
import { pagesSuite } from "./pages-suite.ts";

const minute = 60_000;

/** An element of the page, in the words of this program. */
interface Box {
  getBoundingClientRect(): { left: number; top: number; height: number; width: number };
}

pagesSuite("attempts on the pages", (pages) => {
  const { service } = pages;
  let client: LosslessClient;

  before(() => {
    ({ client } = pages);
  });

  const slurm = (restart: number) => ({ launches: [{ by: "slurm", id: "7", restart }] });
  const of = (attempt: string, more: Partial<ReportAttemptBody>): ReportAttemptBody => ({
    attempt,
    process: { id: attempt, host: "node-7", processId: 4711 },
    beganAgoMs: 60 * minute,
    beatAgoMs: 0,
    ...more,
  });

  test("table and head say what is known of a run's process, in words", async () => {
    const words: [string, Partial<ReportAttemptBody>, RegExp | undefined][] = [
      ["lives", {}, undefined],
      ["falls-silent", { beatAgoMs: 14.5 * minute }, /silent 14 min/],
      [
        "is-killed",
        { end: { how: "killed", signal: 9, agoMs: 0, evidence: [] } },
        /ended by signal 9 \(SIGKILL\)/,
      ],
      [
        "exits",
        { end: { how: "exited", exitCode: 3, agoMs: 0, evidence: [] } },
        /ended \(exit code 3\)/,
      ],
      ["is-gone", { end: { how: "gone", agoMs: 0, evidence: [] } }, /ended, how is not known/],
    ];
    const ids = new Map<string, string>();
    for (const [slug, more] of words) {
      const recorder = await client.record({ slug });
      ids.set(slug, recorder.experimentId);
      await recorder.reportAttempt(of("a", more));
    }
    const { page, seen } = await pages.signedIn();
    await page.goto(`${service.baseUrl}/experiments?q=status+%3D+running`);
    for (const [slug, , told] of words) {
      const row = page.locator(".line", { hasText: slug }).first();
      await row.waitFor();
      if (told === undefined) assert.doesNotMatch(await row.innerText(), /silent|ended/);
      else await row.getByText(told).waitFor();
    }
    for (const [slug, , told] of words.filter(([, , words]) => words !== undefined)) {
      await page.goto(`${service.baseUrl}/experiments/${ids.get(slug)!}`);
      await page.locator(".experiment-head .facts").getByText(told!).waitFor();
    }
    assert.deepEqual(seen.problems, []);
  });

  test("attempts are lanes, with the evidence of each end, and follow what happens", async () => {
    const recorder = await client.record({ slug: "requeued" });
    const evidence = ["SIGTERM left its mark."];
    await recorder.reportAttempt(
      of("a", {
        process: { id: "a", host: "node-1", ...slurm(0) },
        end: { how: "killed", signal: 15, agoMs: 30 * minute, evidence },
        toStep: 700,
      }),
    );
    const { page, seen } = await pages.signedIn();
    await page.goto(`${service.baseUrl}/experiments/${recorder.experimentId}`);
    await page.getByText("1 attempt, ended by signal 15 (SIGTERM)").click();
    const lanes = page.getByRole("list", { name: "Attempts" }).locator("> li");
    await lanes.first().getByText("SIGTERM left its mark.").waitFor();
    await lanes.first().getByText("steps 0 to 700").waitFor();
    const second = of("b", { process: { id: "b", ...slurm(1) }, beganAgoMs: 20 * minute });
    await recorder.reportAttempt(second);
    await page.getByText("2 attempts, running").waitFor();
    await lanes.first().getByText("preempted").waitFor();
    await lanes.first().getByText("restarted by slurm, continued as attempt 2").waitFor();
    assert.equal(await lanes.count(), 2);
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      // The lane, and the part of it in which the attempt lived: as high, and beside it.
      const boxes = await lanes.locator(".lane, .lived").evaluateAll<number[][], Box>((all) =>
        all.map((one) => {
          const { left, top, height, width } = one.getBoundingClientRect();
          return [left, top, height, width].map(Math.round);
        }),
      );
      const [first, firstBar, second, secondBar] = boxes;
      assert.ok(first[2] >= 6 && first[2] <= 16, `a lane of ${first[2]} pixels`);
      for (const [lane, bar] of [
        [first, firstBar],
        [second, secondBar],
      ])
        assert.deepEqual(bar.slice(1, 3), lane.slice(1, 3), "as high as its lane, and in it");
      assert.deepEqual([firstBar[0], Math.round((firstBar[3] / first[3]) * 2)], [first[0], 1]);
      assert.equal(secondBar[0] + secondBar[3], second[0] + second[3]);
    }
    await recorder.finish();
    assert.deepEqual(seen.problems, []);
  });
});
