import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Json } from "../../http.ts";
import { organizations } from "../../service.ts";
import { topic } from "../topic.ts";
import { MlflowCaller } from "./mlflow-calls.ts";

/** A line of a recording, as `test/mlflow/record.ts` writes it. */
interface Recorded {
  method: string;
  path: string;
  /** The content type of a file's body. */
  type?: string;
  /** It is `chunked` where the client sent no length. */
  encoding?: string;
  body?: Json;
  bodyText?: string;
  bodyBytes?: number;
  status: number;
  reply?: Json;
  replyText?: string;
  replyBytes?: number;
}

topic("what MLflow's clients asked when they were recorded", (system) => {
  for (const name of ["tracking", "files", "models", "older"]) {
    test(`${name}: they are answered as they were`, async () => {
      const caller = new MlflowCaller(system, organizations.acme.key);
      const path = join(import.meta.dirname, "exchanges", `${name}.ndjson`);
      const lines = readFileSync(path, "utf8").trimEnd().split("\n");
      const names = new Names();
      for (const [at, line] of lines.entries()) {
        const recorded = JSON.parse(line) as Recorded;
        const where = `${name}.ndjson:${at + 1}: ${recorded.method} ${recorded.path}`;
        await askAgain(caller, recorded, names, where);
      }
    });
  }
});

async function askAgain(
  caller: MlflowCaller,
  recorded: Recorded,
  names: Names,
  where: string,
): Promise<void> {
  const { method, type, encoding, body, bodyText, bodyBytes = 0 } = recorded;
  const content =
    body !== undefined
      ? JSON.stringify(body).replaceAll('"{time}"', "1790000000000")
      : (bodyText ?? "x".repeat(bodyBytes));
  const headers = {
    ...(type === undefined ? {} : { "content-type": type }),
    ...(encoding === undefined ? {} : { "transfer-encoding": encoding }),
  };
  const hasBody = content !== "" || method === "PUT";
  const reply = await caller.request({
    method,
    path: names.filled(recorded.path),
    headers,
    ...(hasBody ? { body: names.filled(content) } : {}),
  });
  assert.equal(reply.status, recorded.status, `${where}: ${reply.text}`);
  const { reply: expected, replyText, replyBytes } = recorded;
  if (expected !== undefined) names.compare(expected, JSON.parse(reply.text) as Json, where);
  else if (replyBytes === undefined) assert.equal(reply.text, replyText ?? "", where);
  else assert.equal(reply.text, "x".repeat(replyBytes), where);
}

/** This service's names for things that had other names in the recording. */
class Names {
  readonly #known = new Map<string, string>();

  filled(text: string): string {
    return text.replaceAll(placeholder, (name) => this.#known.get(name) ?? name);
  }

  /** A name that comes up for the first time is learnt, any other has to be the same. */
  compare(expected: Json, actual: Json | undefined, where: string): void {
    if (typeof expected === "string") this.#compareText(expected, actual, where);
    else if (Array.isArray(expected)) {
      assert.ok(Array.isArray(actual), `${where}: ${JSON.stringify(actual)} is no list`);
      assert.equal(actual.length, expected.length, `${where}: entries`);
      for (const [at, one] of expected.entries()) this.compare(one, actual[at], `${where}[${at}]`);
    } else if (typeof expected === "object" && expected !== null) {
      const found = actual as Record<string, Json>;
      assert.deepEqual(Object.keys(found).toSorted(), Object.keys(expected).toSorted(), where);
      for (const [key, one] of Object.entries(expected))
        this.compare(one, found[key], `${where}.${key}`);
    } else assert.deepEqual(actual, expected, where);
  }

  #compareText(expected: string, actual: Json | undefined, where: string): void {
    if (expected === "{time}") {
      assert.ok(Number.isSafeInteger(actual), `${where}: ${String(actual)} is no time`);
    } else if (isName.test(expected) && !this.#known.has(expected)) {
      assert.equal(typeof actual, "string", where);
      this.#known.set(expected, actual as string);
    } else assert.equal(actual, this.filled(expected), where);
  }
}

const placeholder = /\{(?:experiment|run|model|token)\d+\}/g;
const isName = new RegExp(`^${placeholder.source}$`);
