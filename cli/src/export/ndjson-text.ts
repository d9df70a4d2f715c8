import type { ExperimentRecord, LosslessClient } from "@lossless/client";

/**
 * Yields an experiment's points as NDJSON, one point a line with the names of the API: seriesName,
 * metadata, step, timestampMs, value. Series after series, each partition sorted by step, in
 * constant memory. Throws when the stream was incomplete: all text until then is void.
 */
export async function* ndjsonText(
  client: LosslessClient,
  { experimentId }: ExperimentRecord,
): AsyncGenerator<string> {
  for await (const { seriesName, metadata, step, timestampMs, value } of client.series({
    experimentId,
  })) {
    const start = `{"seriesName":${JSON.stringify(seriesName)},"metadata":${JSON.stringify(metadata)}`;
    let text = "";
    for (let index = 0; index < value.length; index++) {
      text += `${start},"step":${step[index]},"timestampMs":${timestampMs[index]},"value":${value[index]}}\n`;
    }
    yield text;
  }
}
