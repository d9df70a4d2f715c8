import assert from "node:assert/strict";
import { test } from "node:test";
import { errorCodes } from "@lossless/protocol";
import { type Json, type JsonObject, parseObject } from "../../http.ts";
import { event, observed } from "../callers.ts";
import { ReplyCheck } from "../reply-check.ts";
import { topic } from "../topic.ts";

const specified = {
  "/api/v2/events": [
    "folder.create",
    "experiment.open",
    "experiment.tokenRefresh",
    "foldertree.read",
    "query.experiment",
    "query.catalog",
    "query.annotations",
    "query.experiments",
    "query.revisions",
  ],
  "/api/v2/experiments/{experimentId}/events": [
    "experiment.start",
    "experiment.done",
    "experiment.error",
    "experiment.metric",
    "experiment.annotate",
    "experiment.tokenRevoke",
  ],
  "/api/v2/query/series": ["query.series", "query.experimentseries"],
} as const;

// That every reply matches its schema is checked for all topics, see reply-check.ts.
topic("OpenAPI document", (system) => {
  test("it is OpenAPI 3.1, public, and every reference in it resolves", async () => {
    const document = await read();
    assert.equal(document.openapi, "3.1.0");
    let references = 0;
    for (const [key, value] of walk(document)) {
      if (key !== "$ref") continue;
      references += 1;
      assert.match(String(value), /^#\//);
      const target = String(value)
        .slice(2)
        .split("/")
        .reduce<Json | undefined>(
          (node, step) => (node as JsonObject)[step.replaceAll("~1", "/").replaceAll("~0", "~")],
          document,
        );
      assert.notEqual(target, undefined, String(value));
    }
    assert.ok(references > 20);
  });

  test("every endpoint and event of the specification stands at its place", async () => {
    const document = await read();
    const paths = document.paths as JsonObject;
    for (const [path, names] of Object.entries(specified)) {
      const text = JSON.stringify(expand(document, (paths[path] as JsonObject).post));
      for (const name of names) assert.ok(text.includes(`"svc.v2.${name}"`), `${name} at ${path}`);
    }
    assert.ok("get" in (paths["/api/v2/auth/status"] as JsonObject));
    assert.ok("get" in (paths["/api/openapi.json"] as JsonObject));
  });

  test("extensions are marked and nothing else is", async () => {
    const document = await read();
    const marked = JSON.stringify(
      [...walk(document)]
        .filter(([, value]) => isObject(value) && value["x-extension"] === true)
        .map(([, value]) => expand(document, value)),
    );
    const names: readonly string[] = Object.values(specified).flat();
    const schemas = (document.components as JsonObject).schemas as JsonObject;
    for (const title of ["OrganizationRequest", "ExperimentRequest", "SeriesRequest"]) {
      const events = (schemas[title] as JsonObject)["x-events"] as JsonObject;
      for (const event of Object.keys(events)) {
        const isSpecified = names.includes(event.replace("svc.v2.", ""));
        assert.equal(marked.includes(`"${event}"`), !isSpecified, event);
      }
    }
  });

  test("request and reply objects of the interface are closed", async () => {
    const document = await read();
    const schemas = (document.components as JsonObject).schemas as JsonObject;
    for (const name of ["MetricData", "ExperimentOpenData", "RequestFailure", "ExperimentRecord"]) {
      assert.equal((schemas[name] as JsonObject).additionalProperties, false, name);
    }
  });

  test("every error code is in the document", async () => {
    const text = JSON.stringify(await read());
    for (const code of errorCodes)
      assert.ok(text.includes(`"${code}"`) || text.includes(code), code);
  });

  test("the check that holds all replies against the document finds one that is off", async () => {
    const check = new ReplyCheck(await read());
    const body = event("foldertree.read", {});
    const reply = await system.acme.post(body);
    const request = { path: "/api/v2/events", method: "POST", body };
    check.check(request, reply);
    const wrong = [
      reply.text.replace('"data":', '"extra":1,"data":'),
      reply.text.replace('"folders":[', '"folders":[1,'),
      reply.text.replace("foldertree.read.result", "foldertree.read.other"),
    ];
    for (const text of wrong) assert.throws(() => check.check(request, { ...reply, text }), text);
    assert.throws(() => check.check(request, { ...reply, status: 418 }));
  });

  async function read(): Promise<JsonObject> {
    return parseObject((await observed(system, { path: "/api/openapi.json" })).text);
  }
});

function isObject(value: Json): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function* walk(node: Json): Generator<[string, Json]> {
  if (node === null || typeof node !== "object") return;
  for (const [key, value] of Object.entries(node)) {
    yield [key, value];
    yield* walk(value);
  }
}

/** The node has every reference replaced once by its target; a cycle ends at its second visit. */
function expand(document: JsonObject, node: Json, seen: string[] = []): Json {
  if (Array.isArray(node)) return node.map((child) => expand(document, child, seen));
  if (!isObject(node)) return node;
  const reference = node.$ref;
  if (typeof reference === "string") {
    if (seen.includes(reference)) return {};
    const target = reference
      .slice(2)
      .split("/")
      .reduce<Json>((parent, step) => (parent as JsonObject)[step]!, document);
    return expand(document, target, [...seen, reference]);
  }
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, expand(document, value, seen)]),
  );
}
