import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import { organizations, people } from "../service.ts";
import { suiteService } from "../suite-service.ts";
import { Firefox } from "./firefox.ts";
import { importRuns, keptRuns } from "./import-runs.ts";
import { looks, Painters, type Points } from "./painters.ts";

const slug = "2024-10-13_llmc";

/** `npm run test:long`: a bare machine has no Firefox. */
suite("the pages in Firefox", () => {
  const service = suiteService({ people: true });
  let firefox: Firefox;
  let client: LosslessClient;
  let experimentId: string;

  before(async () => {
    await importRuns(service, keptRuns);
    client = new LosslessClient({ baseUrl: service.baseUrl, apiKey: organizations.acme.key });
    ({ experimentId } = await client.experiment({ experimentSlug: slug }));
    firefox = await Firefox.start();
  });
  after(async () => {
    await firefox?.[Symbol.asyncDispose]();
  });

  test("every page is whole under its policy, and charts are painted", async () => {
    await firefox.size(1_280, 900);
    await firefox.goto(`${service.baseUrl}/experiments`);
    await firefox.until(
      `location.pathname === "/sign-in" && document.querySelector("form button")`,
    );
    const { email, password } = people.ada;
    await firefox.evaluate(`
      document.querySelector("input[type=email]").value = ${JSON.stringify(email)};
      document.querySelector("input[type=password]").value = ${JSON.stringify(password)};
      setTimeout(() => document.querySelector("form button").click());
      undefined
    `);
    await firefox.until(`location.pathname === "/experiments" && ${says(slug)}`);
    // That of the sign-in page has no icon, which its policy would refuse.
    firefox.problems.length = 0;
    const { rows } = await client.views.experiments({ query: "", limit: 100 });
    const ids = rows.map((row) => row.experimentId).join(",");
    for (const [address, whole] of [
      [`/experiments/${experimentId}?tab=charts`, "19,560 points, not sampled"],
      [`/compare?e=${ids}`, "points, not sampled"],
      ["/artifacts", "Push your first artifact"],
    ]) {
      await firefox.goto(service.baseUrl + address);
      await firefox.until(says(whole));
      if (address === "/artifacts") continue;
      const lit = await firefox.evaluate<number>(`
        const canvas = document.querySelector("figure.chart canvas");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        data.filter((byte, at) => at % 4 === 3 && byte > 0).length
      `);
      assert.ok(lit > 500, `${address}: a curve is painted`);
    }
    assert.deepEqual(firefox.problems, []);
  });

  test("columns of the service are the picture of every point, byte for byte", async () => {
    await firefox.goto("about:blank");
    const painters = await Painters.on(firefox);
    const differing: string[] = [];
    for (const seriesName of ["train/loss", "grad/norm", "val/loss"]) {
      const points: Points = { step: [], value: [] };
      for await (const block of client.series({ experimentId, seriesNames: [seriesName] })) {
        points.step.push(...block.step.map(Number));
        points.value.push(...block.value);
      }
      await painters.take(points);
      for (const look of looks) {
        const columns = look.width * look.ratio;
        const series = [{ experimentId, seriesName }];
        const reply = await client.views.overview({ series, xAxis: "step", columns, align: true });
        const count = await painters.differing(look, reply);
        if (count > 0) differing.push(`${seriesName}, ${look.width} at ${look.ratio}: ${count}`);
      }
    }
    assert.deepEqual(differing, []);
  });
});

function says(text: string): string {
  return `document.body.textContent.includes(${JSON.stringify(text)})`;
}
