import { recordWriter } from "../../server/src/experiments/series/stream-form.ts";
import { median } from "./measure.ts";

const series = 100;
/** Points of a data record, as a read gives them. */
const pointsPerRecord = 8_192;
const passes = 12;
const rounds = 5;

/**
 * Points that one core encodes in a second for a stream of series, without what reads them: by the
 * service's own writer of the form, all in memory.
 */
export function encodedRate(form: "columns" | "arrow"): number {
  const step = Float64Array.from({ length: pointsPerRecord }, (_, index) => index);
  const timestamp = step.map((index) => 1_700_000_000_000 + 1_000 * index);
  const points = { step, timestamp, value: step.map(() => Math.random()) };
  const partitions = Array.from({ length: series }, (_, number) => {
    return { name: `loss/${number}`, partitions: [{ number, meta: "{}" }] };
  });
  const rates = Array.from({ length: rounds + 1 }, () => {
    const { user, system } = process.cpuUsage();
    for (let pass = 0; pass < passes; pass++) {
      const of = { experimentId: "a", correlationId: "b", messageId: () => "c" };
      const writer = recordWriter(form, { ...of, xAxis: "step" }, partitions);
      for (const { name } of partitions) {
        writer.points({ name, meta: "{}" }, points);
        if (writer.isFull) writer.take();
      }
      writer.take();
    }
    const used = process.cpuUsage({ user, system });
    return (passes * series * pointsPerRecord * 1e6) / (used.user + used.system);
  });
  // The first one warms up.
  return median(rates.slice(1));
}
