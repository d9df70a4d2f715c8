import assert from "node:assert/strict";
import { test } from "node:test";
import { type ExportedChart, pictureFor } from "./exported-chart.ts";
import { exportedFile, jsonText } from "./exported-file.ts";

test("nothing that people wrote is markup of the file, and its policy names its own script", () => {
  const hostile = `</script><img src=x onerror="alert(1)">'"&\u2028`;
  const chart = { name: hostile, pictures: [] } as unknown as ExportedChart;
  const text = exportedFile(
    { name: hostile, changedAtMs: 0, changedBy: hostile },
    [{ kind: "chart", chart, legend: "", caption: hostile, sentence: hostile }],
    { organization: hostile, person: hostile, address: `https://host/${hostile}`, nowMs: 0 },
    { text: "draw()", hash: "AAA=" },
    { text: "p{}", hash: "BBB=" },
  );
  assert.ok(!text.includes("<img"));
  assert.equal(text.match(/<script/g)?.length, 2);
  assert.equal(text.match(/<\/script>/g)?.length, 2);
  assert.match(text, /default-src 'none'; script-src 'sha256-AAA='; style-src 'sha256-BBB='/);
  const json = /id="charts">(.*)<\/script>/.exec(text)![1];
  assert.equal((JSON.parse(json) as ExportedChart[])[0].name, hostile);
  assert.equal(jsonText("\u2029"), String.raw`"\u2029"`);
});

test("a screen gets the picture that has columns enough for it", () => {
  const pictures = [1, 2].map((ratio) => ({ ratio }));
  const chart = { pictures } as unknown as ExportedChart;
  assert.deepEqual(
    [1, 1.5, 2, 3].map((ratio) => pictureFor(chart, ratio).ratio),
    [1, 2, 2, 2],
  );
});
