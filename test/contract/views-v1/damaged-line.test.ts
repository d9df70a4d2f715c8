import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { GroupsReply, OverviewReply, ViewPointsReply } from "@lossless/protocol";
import { Figures } from "../../figures.ts";
import { call, type HttpReply, ok } from "../../http.ts";
import { organizations, Service } from "../../service.ts";
import { OrganizationCaller, targetOf } from "../callers.ts";
import { ownServices } from "../topic.ts";

ownServices("a damaged line", () => {
  for (const [what, flip] of [
    ["chunk", (bytes: Buffer) => (bytes[20] ^= 1)],
    ["index", (bytes: Buffer) => (bytes[bytes.length - 30] ^= 1)],
  ] as const) {
    test(`says so of itself, and the others are drawn: a bit of its ${what}`, async () => {
      const figures = await Figures.onFreePort();
      const flags = ["--seal-points", "1", "--seal-idle-ms", "0", ...figures.flags];
      await using service = await Service.start({ flags });
      const { key } = organizations.acme;
      const acme = new OrganizationCaller(targetOf(service), key);
      const [damaged, sound] = [await acme.open(), await acme.open()];
      await damaged.send(damaged.metric({ step: 1 }), damaged.metric({ step: 2 }));
      await damaged.tell("done");
      await figures.sealed(2);
      await service.stop();
      for (const entry of globSync("segments/**/*", {
        cwd: service.dataDirectory,
        withFileTypes: true,
      }).filter((one) => one.isFile())) {
        const file = join(entry.parentPath, entry.name);
        const bytes = readFileSync(file);
        flip(bytes);
        writeFileSync(file, bytes);
      }
      await service.start();
      await sound.send(sound.metric({ step: 7, metricValue: 0.5 }));
      const series = [damaged, sound].map(({ experimentId }) => ({
        experimentId,
        seriesName: "loss",
      }));
      const view = async <Reply>(name: string, body: object): Promise<Reply> => {
        const path = `/api/views/v1/${name}`;
        return ok<Reply>(await call(service.baseUrl, { path, credential: key, body }));
      };
      const drawn = await view<OverviewReply>("overview", { series, xAxis: "step", columns: 10 });
      assertDamaged(drawn.series[0]);
      assert.deepEqual(drawn.series[1].exact, { x: [7], value: [0.5] });
      const grouped = await view<GroupsReply>("groups", {
        experimentIds: series.map(({ experimentId }) => experimentId),
        seriesName: "loss",
        by: [],
        xAxis: "step",
        columns: 10,
      });
      const [{ members, damaged: left, points, mean }] = grouped.groups;
      assert.deepEqual([members, left, points, mean], [2, 1, 1, [0.5]]);
      const given = await view<ViewPointsReply>("points", { series, xAxis: "step", pointsMax: 5 });
      assertDamaged(given.series[0]);
      assert.deepEqual(given.series[1].value, [0.5]);
      const file = await csvOf(service.baseUrl, key, String(damaged.experimentId));
      if (file !== undefined) assert.equal(file.status, 500);
    });
  }
});

function assertDamaged({ error }: { error?: { code: string; message: string } }): void {
  assert.equal(error?.code, "data_corrupted");
  assert.match(error.message, /checksum/);
}

/** Undefined: it was cut. */
async function csvOf(
  baseUrl: string,
  credential: string,
  experimentId: string,
): Promise<HttpReply | undefined> {
  const query = new URLSearchParams({ experimentId, seriesName: "loss", xAxis: "step" });
  const path = `/api/views/v1/points.csv?${query.toString()}`;
  return call(baseUrl, { method: "GET", path, credential }).catch(() => undefined);
}
