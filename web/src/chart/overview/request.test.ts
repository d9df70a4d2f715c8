import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewBody } from "@lossless/client";
import { overviewRequest, parquetAddress, pointsFiles } from "./request.ts";
import { viewOf } from "../view.ts";

const fileOf = (request: OverviewBody) => pointsFiles(request)[0].address;

const viewAt = (address: string) => {
  const { searchParams } = new URL(address, "http://x/");
  return viewOf((name) => searchParams.get(name) ?? undefined);
};

test("a chart asks for what its address says, and for no more lines than can be told apart", () => {
  const choices = [{ key: "rank", value: "3" }];
  const view = viewAt("?x=metric:tokens&xs=log&r=1~9&s=gauss:10");
  assert.deepEqual(overviewRequest(["e"], ["loss"], choices, view, 8_000), {
    series: [
      {
        experimentId: "e",
        seriesName: "loss",
        filter: [{ metadataKey: "rank", metadataValue: "3" }],
      },
    ],
    xAxis: "metric",
    xSeriesName: "tokens",
    xScale: "log",
    start: 1,
    end: 9,
    columns: 8_000,
    align: true,
    smooth: { kind: "gauss", points: 10 },
    partitionsMax: 100,
  });
  assert.equal(overviewRequest(["e"], ["loss"], [], viewAt("?x=time"), 900).xAxis, "timestamp");
  assert.equal(overviewRequest(["e"], ["loss"], [], viewAt("/"), 900).partitionsMax, 100);
  const several = overviewRequest(["e", "f"], ["loss"], [], viewAt("/"), 900);
  assert.deepEqual(
    several.series.map(({ experimentId }) => experimentId),
    ["e", "f"],
  );
  assert.equal(several.partitionsMax, 400);
});

test("its file has the same series, axis and range", () => {
  const choices = [
    { key: "a&b", value: "3" },
    { key: "rank", value: "" },
  ];
  const request = overviewRequest(["e"], ["a/b c"], choices, viewAt("?r=1~9"), 900);
  const { pathname, searchParams } = new URL(fileOf(request), "http://x/");
  assert.equal(pathname, "/api/views/v1/points.csv");
  assert.deepEqual(Object.fromEntries(searchParams), {
    experimentId: "e",
    seriesName: "a/b c",
    xAxis: "step",
    filter: '[{"metadataKey":"a&b","metadataValue":"3"},{"metadataKey":"rank","metadataValue":""}]',
    start: "1",
    end: "9",
  });
  const several = overviewRequest(["e", "f"], ["loss"], [], viewAt("/"), 900);
  const address = new URL(fileOf(several), "http://x/");
  assert.equal(address.searchParams.get("experimentIds"), "e,f");
});

test("several series are asked for together, and have a file each", () => {
  const request = overviewRequest(["e", "f"], ["a", "b"], [], viewAt("/"), 900);
  assert.deepEqual(
    request.series.map(({ experimentId, seriesName }) => `${seriesName} ${experimentId}`),
    ["a e", "a f", "b e", "b f"],
  );
  assert.equal(overviewRequest(["e"], ["a", "b"], [], viewAt("/"), 900).partitionsMax, 400);
  assert.deepEqual(
    pointsFiles(request).map(({ names: [seriesName], address }) => [
      seriesName,
      new URL(address, "http://x/").searchParams.get("experimentIds"),
    ]),
    [
      ["a", "e,f"],
      ["b", "e,f"],
    ],
  );
});

test("two combined series are one line of each experiment, and so is their file", () => {
  const names = ["train/loss", "val/loss"];
  const request = overviewRequest(["e", "f"], names, [], viewAt("?r=1~9"), 900, "dividedBy");
  const combined = { operator: "dividedBy" as const, seriesName: "val/loss" };
  assert.deepEqual(
    request.series,
    ["e", "f"].map((experimentId) => ({
      experimentId,
      seriesName: "train/loss",
      combined,
      filter: [],
    })),
  );
  const [file, ...others] = pointsFiles(request);
  assert.deepEqual([file.names, file.operator, others], [names, "dividedBy", []]);
  const { searchParams } = new URL(file.address, "http://x/");
  assert.deepEqual(Object.fromEntries(searchParams), {
    experimentIds: "e,f",
    seriesName: "train/loss",
    xAxis: "step",
    operator: "dividedBy",
    otherSeriesName: "val/loss",
    start: "1",
    end: "9",
  });
  const parquet = new URL(parquetAddress(request), "http://x/").searchParams;
  assert.equal(parquet.get("seriesNames"), JSON.stringify(names));
});
