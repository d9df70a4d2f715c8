/**
 * SQL for the begin and end of an experiment, over `experiment e`, its `summarized z`, and its `run
 * r` if there is one. The times of MLflow's client have precedence. Otherwise the service has only
 * the times of its events, which say little about imported or late data: points before the start or
 * after the end extend the interval, and points entirely outside replace it.
 */
const started = "coalesce(e.started_at_ms, e.created_at_ms)";
const ended = "(CASE e.status WHEN 'done' THEN e.done_at_ms WHEN 'error' THEN e.error_at_ms END)";

export const beganAtMs = `(CASE WHEN r.start_time IS NOT NULL THEN r.start_time
  WHEN z.first_point_ms < ${started} OR z.first_point_ms > ${ended} THEN z.first_point_ms
  ELSE ${started} END)`;

/** Null: it is running. */
export const endedAtMs = `(CASE WHEN r.start_time IS NOT NULL AND r.end_time IS NOT NULL THEN r.end_time
  WHEN r.start_time IS NULL AND e.status <> 'running'
    AND (z.last_point_ms < ${started} OR z.last_point_ms > ${ended}) THEN z.last_point_ms
  ELSE ${ended} END)`;
