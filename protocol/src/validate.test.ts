import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "./components.ts";
import {
  checkRequestEvent,
  type EventEndpoint,
  eventNames,
  events,
  isEventName,
  limits,
} from "./index.ts";

const point = {
  experimentId: "x1",
  timestampMs: 1,
  step: 0,
  metricName: "loss",
  metricValue: 0.5,
  meta: {},
};

function metric(change: Record<string, unknown> = {}, envelope: Record<string, unknown> = {}) {
  const data = { ...point, ...change };
  return { messageId: "m", event: "svc.v2.experiment.metric", data, ...envelope };
}

function organization(event: string, data: unknown) {
  return { messageId: "m", event, data };
}

/** The endpoint that takes an event; that of experiments for what is none. */
function endpointOf(value: unknown): EventEndpoint {
  const name = (value as { event?: string } | null)?.event ?? "";
  return isEventName(name) ? events[name].endpoint : "experiment";
}

function accepted(value: unknown): void {
  const verdict = checkRequestEvent(endpointOf(value), JSON.parse(JSON.stringify(value)));
  assert.deepEqual(verdict, { ok: true, problems: [] });
}

function refused(value: unknown, path: string, message: string): void {
  const verdict = checkRequestEvent(endpointOf(value), value, "[3]");
  assert.equal(verdict.ok, false);
  const place = path === "" ? "[3]" : `[3].${path}`;
  assert.deepEqual(verdict.problems[0], { path: place, message });
}

/** The least that a schema takes. */
function leastOf(given: object): unknown {
  const schema = given as JsonSchema;
  const { properties = {}, required = [], oneOf, enum: words, anyOf } = schema;
  if (words !== undefined) return words[0];
  if (anyOf !== undefined) return leastOf(anyOf[0]);
  switch (schema.type) {
    case "object": {
      const named = [...required, ...(oneOf?.[0].required ?? [])];
      const least = Number(schema["minProperties"] ?? 0);
      const names = new Set([...named, ...Object.keys(properties).slice(0, least)]);
      return Object.fromEntries([...names].map((name) => [name, leastOf(properties[name])]));
    }
    case "array":
      return [];
    case "string":
      return "x".repeat(Number(schema["minLength"] ?? 0));
    case "integer":
    case "number":
      return schema["minimum"] ?? 0;
    case "boolean":
      return false;
    case "null":
      return null;
    case undefined:
      throw new Error(`BUG: there is no least of ${JSON.stringify(schema)}`);
  }
}

test("every event is accepted at its endpoint, and each missing or unknown field is named", () => {
  for (const name of eventNames) {
    const { endpoint } = events[name];
    const data = leastOf(events[name].data) as Record<string, unknown>;
    accepted(organization(name, data));
    accepted({ ...organization(name, data), correlationId: "c" });
    refused(organization(name, { ...data, extra: 1 }), "data.extra", "is not a known field");
    refused({ ...organization(name, data), extra: 1 }, "extra", "is not a known field");
    refused({ messageId: "m", event: name }, "data", "is missing");
    for (const field of events[name].data.required ?? []) {
      const { [field]: _, ...others } = data;
      refused(organization(name, others), `data.${field}`, "is missing");
    }
    for (const other of (["organization", "experiment", "series"] as const).filter(
      (one) => one !== endpoint,
    )) {
      assert.equal(checkRequestEvent(other, organization(name, data)).problems[0]?.path, "event");
    }
  }
});

test("an envelope is an object with a known, case-sensitive event", () => {
  refused([], "", "must be an object: an event envelope");
  refused(null, "", "must be an object: an event envelope");
  refused({}, "event", "is missing: every envelope names its event");
  refused({ event: 1 }, "event", "must be a string");
  const unknown =
    "is not an event of this interface (names are case-sensitive and start with svc.v2.)";
  refused(metric({}, { event: "svc.v2.experiment.Metric" }), "event", unknown);
  refused(metric({}, { event: "toString" }), "event", unknown);
  refused(metric({}, { event: "experiment.metric" }), "event", unknown);
});

test("characters are code points, and text is well-formed without NUL", () => {
  accepted(metric({}, { messageId: "😀".repeat(limits.messageIdCharactersMax) }));
  const message = "must have 1 to 200 characters";
  refused(metric({}, { messageId: "😀".repeat(201) }), "messageId", message);
  refused(metric({}, { messageId: "a".repeat(201) }), "messageId", message);
  refused(metric({}, { messageId: "" }), "messageId", message);
  const lone = "must be well-formed Unicode without lone surrogates";
  const nul = "must be text without the character U+0000";
  refused(metric({}, { messageId: "a\ud800" }), "messageId", lone);
  refused(metric({}, { messageId: "a\0" }), "messageId", nul);
  refused(metric({}, { correlationId: "\udc00" }), "correlationId", lone);
  refused(metric({ meta: { k: "\0" } }), "data.meta.k", nul);
  refused(
    metric({ meta: { "\ud800": "" } }),
    "data.meta",
    "must have keys that are well-formed Unicode without lone surrogates",
  );
  const open = { slug: "s", description: "", meta: { a: [{ b: "\0" }] } };
  refused(organization("svc.v2.experiment.open", open), "data.meta.a[0].b", nul);
  const slug = "must have no control characters and no spaces at its ends";
  refused(organization("svc.v2.experiment.open", { ...open, slug: "a\0" }), "data.slug", slug);
});

test("integers may be written 1.0 or 1e3, and keep their range", () => {
  accepted(metric({ step: limits.stepMax, timestampMs: limits.timestampMsMax }));
  for (const step of ["1.0", "1e3", "-0", "0e5"]) {
    const body = JSON.stringify(metric()).replace('"step":0', `"step":${step}`);
    assert.equal(checkRequestEvent("experiment", JSON.parse(body)).ok, true);
  }
  const message = "must be an integer from 0 to 9007199254740990";
  for (const step of [1.5, -1, 2 ** 53 - 1, "1", null, true]) {
    refused(metric({ step }), "data.step", message);
  }
  const timestamp = "must be an integer from 0 to 9007199254740991";
  refused(metric({ timestampMs: 2 ** 53 }), "data.timestampMs", timestamp);
});

test("values are finite numbers", () => {
  accepted(metric({ metricValue: Number.MAX_VALUE }));
  const body = JSON.parse(JSON.stringify(metric()).replace("0.5", "1e400"));
  refused(body, "data.metricValue", "must be a finite number, within the range of a double");
  refused(metric({ metricValue: "1" }), "data.metricValue", "must be a number");
  refused(metric({ metricValue: null }), "data.metricValue", "must be a number");
});

test("metric names are 1 to 256 printable ASCII characters", () => {
  accepted(metric({ metricName: " ~" }));
  accepted(metric({ metricName: "a".repeat(256) }));
  for (const metricName of ["", "a".repeat(257)]) {
    refused(metric({ metricName }), "data.metricName", "must have 1 to 256 characters");
  }
  for (const metricName of ["é", "\x7f", "a\n", "\0"]) {
    refused(metric({ metricName }), "data.metricName", "must be printable ASCII");
  }
});

test("a point's meta is a flat map of strings within its limits in bytes", () => {
  accepted(metric({ meta: { "": "", ["é".repeat(64)]: "é".repeat(256) } }));
  const full = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`k${index}`, "v"]));
  accepted(metric({ meta: full }));
  const keys = { path: "data.meta", message: "must have at most 32 keys, has 33" };
  refused(metric({ meta: { ...full, more: "" } }), keys.path, keys.message);
  refused(
    metric({ meta: { ["é".repeat(65)]: "" } }),
    keys.path,
    "must have keys of at most 128 bytes",
  );
  refused(metric({ meta: { k: "é".repeat(257) } }), "data.meta.k", "must be at most 512 bytes");
  refused(metric({ meta: { "a b": 1 } }), 'data.meta["a b"]', "must be a string");
  refused(metric({ meta: { "a\nb": 1 } }), 'data.meta["a\\nb"]', "must be a string");
  refused(
    metric({ meta: JSON.parse('{"__proto__":{}}') }),
    "data.meta.__proto__",
    "must be a string",
  );
  refused(metric({ meta: [] }), keys.path, "must be an object");
  // Eight members of 506 bytes, nine commas and braces, `"i":""`: 4,064 bytes to the last value.
  const canonical = Object.fromEntries("abcdefgh".split("").map((key) => [key, "v".repeat(500)]));
  const filled = { ...canonical, i: "v".repeat(32) };
  assert.equal(JSON.stringify(filled).length, 4_096);
  accepted(metric({ meta: filled }));
  const size = "must be at most 4096 bytes of canonical JSON";
  refused(metric({ meta: { ...filled, i: "v".repeat(33) } }), keys.path, size);
  refused(metric({ meta: { ...filled, i: "\n".repeat(32) } }), keys.path, size);
});

test("free metas hold any JSON up to 64 KiB of compact text", () => {
  const open = (meta: unknown) =>
    organization("svc.v2.experiment.open", { slug: "s", description: "", meta });
  accepted(open({ a: 1, b: [null, { c: "é" }] }));
  const fitting = { a: "é".repeat((limits.jsonMetaBytesMax - 8) / 2) };
  assert.equal(Buffer.byteLength(JSON.stringify(fitting)), limits.jsonMetaBytesMax);
  accepted(open(fitting));
  const size = "must be at most 65536 bytes of compact JSON";
  refused(open({ a: `${fitting.a}x` }), "data.meta", size);
  refused(open([]), "data.meta", "must be an object");
  refused(open(JSON.parse("[".repeat(5000) + "]".repeat(5000))), "data.meta", "must be an object");
  const deep = { a: JSON.parse("[".repeat(5000) + "]".repeat(5000)) };
  assert.match(
    checkRequestEvent("organization", open(deep)).problems[0].message,
    /nested deeper than 256/,
  );
});

test("reads by identity take exactly one of id and slug", () => {
  const message = "must have exactly one of experimentId and experimentSlug";
  for (const name of ["experiment", "catalog", "annotations"]) {
    const event = `svc.v2.query.${name}`;
    refused(organization(event, {}), "data", message);
    refused(organization(event, { experimentId: "a", experimentSlug: "b" }), "data", message);
    refused(organization(event, { experimentId: null }), "data.experimentId", "must be a string");
  }
  const update = "must have at least one of name and parentFolderId";
  refused(organization("svc.v2.folder.update", { folderId: "f" }), "data", update);
});

test("names of folders and slugs", () => {
  const create = (name: unknown) =>
    organization("svc.v2.folder.create", { name, parentFolderId: null });
  for (const name of ["a", " a ", "😀", "a/b", "x".repeat(200)]) accepted(create(name));
  for (const name of ["", " ", "\u3000", "a\n", "a\u0085", "x".repeat(201), 1]) {
    assert.equal(checkRequestEvent("organization", create(name)).problems[0]?.path, "data.name");
  }
  const open = (slug: unknown) =>
    organization("svc.v2.experiment.open", { slug, description: "", meta: {} });
  for (const slug of ["a", "a b", "a/b", "é😀"]) accepted(open(slug));
  for (const slug of ["", " a", "a ", "a\tb", "x".repeat(201)]) {
    assert.equal(checkRequestEvent("organization", open(slug)).problems[0]?.path, "data.slug");
  }
});

test("series queries keep their limits", () => {
  const query = (change: object) =>
    organization("svc.v2.query.experimentseries", {
      experimentId: "x",
      filter: [],
      xAxis: "step",
      ...change,
    });
  const predicates = (length: number) => Array.from({ length }, () => ({ metadataKey: "k" }));
  accepted(query({ filter: predicates(32), seriesNames: [] }));
  accepted(query({ seriesNames: Array.from({ length: 1000 }, () => "a") }));
  refused(query({ filter: predicates(33) }), "data.filter", "must have at most 32 items, has 33");
  refused(
    query({ seriesNames: Array.from({ length: 1001 }, () => "a") }),
    "data.seriesNames",
    "must have at most 1000 items, has 1001",
  );
  refused(query({ seriesNames: null }), "data.seriesNames", "must be an array");
  refused(query({ xAxis: "time" }), "data.xAxis", 'must be one of "step", "timestamp"');
  refused(
    query({ filter: [{ metadataKey: "k", metadataValue: null }] }),
    "data.filter[0].metadataValue",
    "must be a string",
  );
});
