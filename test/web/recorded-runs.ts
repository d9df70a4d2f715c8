import { setTimeout } from "node:timers/promises";
import type { LosslessClient } from "@lossless/client";
import { ArtifactCaller, sendParts } from "../contract/artifact-caller.ts";
import { oneFile, Writer } from "../contract/writer.ts";
import type { Pages } from "./pages-suite.ts";

export const wideSeries = 2_000;
export const ranks = 130;

/** A long run with a spike, a value that is not finite, values around 0, and a checkpoint. */
export async function recordRun({ client, service, organizations }: Pages): Promise<string> {
  const recorder = await client.record({ slug: "run", meta: {} });
  for (let step = 0; step < 20_000; step++) {
    if (step === 9_000) recorder.record("loss", NaN, step);
    recorder.record("loss", step === 7_777 ? 9.5 : 1 + Math.sin(step / 900) / 10, step);
    if (step % 20 === 0)
      recorder.record("delta", step < 10_000 ? -1 - step / 1e4 : step / 1e4, step);
    if (step % 5_000 === 0) await recorder.ready();
  }
  await recorder.finish();
  const target = { baseUrl: service.baseUrl, observe: () => undefined };
  const caller = new ArtifactCaller(target, organizations.acme.key);
  const writer = await Writer.open(caller, `run/checkpoints-${crypto.randomUUID().slice(0, 8)}`);
  const upload = await writer.begin("000000005000", oneFile, {
    meta: { experiment: "run", step: 5_000 },
  });
  await writer.commit(upload.upload, await sendParts(upload, oneFile));
  return recorder.experimentId;
}

/** Until the table has the metrics and metas of everything that was recorded. */
export async function counted(client: LosslessClient): Promise<void> {
  while ((await client.views.experiments({ limit: 0 })).behind > 0) await setTimeout(50);
}

/** Many series, and one of many partitions. */
export async function recordWide(client: LosslessClient): Promise<string> {
  const recorder = await client.record({ slug: "wide", meta: {} });
  for (let at = 0; at < wideSeries; at++)
    for (const step of [1, 2, 3]) recorder.record(`layer${at % 10}/w${at}`, at * step, step);
  for (let rank = 0; rank < ranks; rank++)
    for (const step of [1, 2, 3])
      recorder.record("spread", rank + step, step, { meta: { rank: String(rank) } });
  await recorder.finish();
  return recorder.experimentId;
}
