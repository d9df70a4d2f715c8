import * as Type from "./type.ts";
import { limits } from "./limits.ts";
import {
  assignedId,
  closedObject,
  milliseconds,
  patterns,
  reference,
  stringMap,
} from "./schema.ts";

export const metricName = Type.String({
  description: "Names the series; printable ASCII, 1 to 256 bytes.",
  minLength: 1,
  maxLength: limits.metricNameBytesMax,
  ...patterns.printableAscii,
});

export const pointMeta = stringMap(
  "Splits the series into partitions, one for each distinct content. " +
    "Keys at most 128 bytes, values at most 512, canonical JSON (RFC 8785) at most 4,096.",
  limits.metricMetaKeysMax,
);

/** One point. checkMetricMeta checks the byte limits of its meta. */
export const MetricData = closedObject("MetricData", {
  experimentId: reference("Must equal the id in the URL."),
  timestampMs: milliseconds("Unix milliseconds, 0 to 2^53 - 1."),
  step: Type.Integer({ description: "0 to 2^53 - 2.", minimum: 0, maximum: limits.stepMax }),
  metricName,
  metricValue: Type.Number({ description: "A finite double; -0 is stored as 0." }),
  meta: pointMeta,
});
export type MetricData = Type.Static<typeof MetricData>;

export const MetricRecordedData = closedObject("MetricRecordedData", {
  experimentId: assignedId("The experiment."),
  metricName: Type.String(),
  deduplicated: Type.Boolean({
    description:
      "True: the same messageId with the same payload was already stored; nothing was added.",
  }),
});
