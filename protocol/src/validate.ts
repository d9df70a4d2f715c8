import { Compile } from "typebox/schema";
import { type EventEndpoint, type EventName, events, isEventName } from "./events.ts";
import { requestEnvelope } from "./envelope.ts";
import { checkJsonMeta, checkMetricMeta, checkTexts, type Problem } from "./meta-limits.ts";
import { explain, plainObject } from "./explain.ts";

export type { Problem } from "./meta-limits.ts";

export interface Verdict {
  ok: boolean;
  /** The problems found; at least one if not ok. */
  problems: readonly Problem[];
}

/**
 * Checks one envelope of a request against the schema of its event, chosen by name, and for what
 * JSON Schema cannot express. A verdict that is ok makes `value` a RequestEvent of that endpoint.
 * `path` is the envelope's place in the body, `[3]` or "".
 */
export function checkRequestEvent(endpoint: EventEndpoint, value: unknown, path = ""): Verdict {
  if (!plainObject(value)) return refuse(path, "must be an object: an event envelope");
  const name = value["event"];
  if (typeof name !== "string" || !isEventName(name)) return unknownEvent(name, path);
  const { schema, accepts, check } = checks.get(name)!;
  if (events[name].endpoint !== endpoint) {
    return refuse(
      at(path, "event"),
      `${name} is not accepted at this address but at ${home[events[name].endpoint]}`,
    );
  }
  if (!accepts(value)) return { ok: false, problems: explain(schema, value, path) };
  const problem = check(value, path);
  return problem === undefined ? valid : { ok: false, problems: [problem] };
}

const valid: Verdict = { ok: true, problems: [] };

const home: Record<EventEndpoint, string> = {
  organization: "/api/v2/events",
  experiment: "/api/v2/experiments/{experimentId}/events",
  series: "/api/v2/query/series",
};

/** The shape that checks after the schema rely on. */
interface Envelope {
  messageId: string;
  data: Record<string, unknown>;
}

function metricTexts(event: Envelope, path: string): Problem | undefined {
  // Loops over the known strings: the general walk costs more than all other checks of a point.
  const { messageId, data } = event;
  if (!messageId.isWellFormed() || messageId.includes("\0") || "correlationId" in event) {
    const problem = checkTexts({ ...event, data: {} }, path, 0);
    if (problem !== undefined) return problem;
  }
  return (
    checkTexts(data["experimentId"], at(path, "data.experimentId"), 0) ??
    checkMetricMeta(data["meta"] as Record<string, string>, at(path, "data.meta"))
  );
}

function eventTexts(event: Envelope, path: string): Problem | undefined {
  const { meta, ...others } = event.data;
  return (
    checkTexts({ ...event, data: others }, path, 0) ??
    (meta === undefined
      ? undefined
      : checkJsonMeta(meta as Record<string, unknown>, at(path, "data.meta")))
  );
}

const checks = new Map(
  Object.entries(events).map(([name, definition]) => {
    const schema = requestEnvelope(name, name, definition.data);
    const validator = Compile(schema);
    const accepts = (value: unknown): value is Envelope => validator.Check(value);
    const check = name === "svc.v2.experiment.metric" ? metricTexts : eventTexts;
    return [name as EventName, { schema, accepts, check }];
  }),
);

function unknownEvent(name: unknown, path: string): Verdict {
  const where = at(path, "event");
  if (name === undefined) return refuse(where, "is missing: every envelope names its event");
  if (typeof name !== "string") return refuse(where, "must be a string");
  return refuse(
    where,
    "is not an event of this interface (names are case-sensitive and start with svc.v2.)",
  );
}

function at(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function refuse(path: string, message: string): Verdict {
  return { ok: false, problems: [{ path, message }] };
}
