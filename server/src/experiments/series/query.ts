import type { StreamForm } from "./stream-form.ts";

/**
 * Query of a series stream: the data of `query.series` or `query.experimentseries`, and the caller.
 */
export interface SeriesQuery {
  organizationId: string;
  /** The request's messageId: correlationId of every record. */
  correlationId: string;
  event: "svc.v2.query.series" | "svc.v2.query.experimentseries";
  experimentId: string;
  /** undefined: every series. */
  seriesNames: string[] | undefined;
  filter: { metadataKey: string; metadataValue?: string }[];
  xAxis: "step" | "timestamp";
  form: StreamForm;
}
