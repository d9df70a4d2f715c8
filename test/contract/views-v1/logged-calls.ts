import assert from "node:assert/strict";
import type {
  LoggedHistogramsBody,
  LoggedHistogramsReply,
  LoggedItem,
  LoggedItemsBody,
  LoggedItemsReply,
  LoggedNamesBody,
  LoggedNamesReply,
  LoggedNearestBody,
  LoggedNearestReply,
  LoggedStepsBody,
  LoggedStepsReply,
  LoggedTextsBody,
  LoggedTextsReply,
} from "@lossless/protocol";
import type { HttpReply, JsonObject } from "../../http.ts";
import { event, type ExperimentCaller, observed, type Target } from "../callers.ts";

interface Calls {
  names: [LoggedNamesBody, LoggedNamesReply];
  steps: [LoggedStepsBody, LoggedStepsReply];
  nearest: [LoggedNearestBody, LoggedNearestReply];
  items: [LoggedItemsBody, LoggedItemsReply];
  texts: [LoggedTextsBody, LoggedTextsReply];
  histograms: [LoggedHistogramsBody, LoggedHistogramsReply];
}

/** Reads of what was logged, with one credential. */
export class LoggedCalls {
  readonly #target: Target;
  readonly #credential: string;

  constructor(target: Target, credential: string) {
    this.#target = target;
    this.#credential = credential;
  }

  request(name: keyof Calls, body: unknown): Promise<HttpReply> {
    const path = `/api/views/v1/logged-${name}`;
    return observed(this.#target, { path, method: "POST", credential: this.#credential, body });
  }

  async ask<Name extends keyof Calls>(name: Name, body: Calls[Name][0]): Promise<Calls[Name][1]> {
    const reply = await this.request(name, body);
    assert.equal(reply.status, 200, reply.text);
    return JSON.parse(reply.text) as Calls[Name][1];
  }

  /** All items, page by page. */
  async walk(body: LoggedItemsBody): Promise<LoggedItem[]> {
    const all: LoggedItem[] = [];
    for (let after: string | undefined; ;) {
      const { items, next } = await this.ask("items", { ...body, ...(after && { after }) });
      all.push(...items);
      if (next === null) return all;
      after = next;
    }
  }
}

/** An annotation, as our clients send it. */
export interface Note {
  annotation: string;
  meta: JsonObject;
}

export function media(kind: string, name: string, step: number, more: JsonObject = {}): Note {
  const { pointMeta, ...own } = more;
  const file = { path: `media/${name}-${step}.png`, bytes: 7, artifact: "a/media", version: "1" };
  const meta = {
    kind: "media",
    _media: { kind, name, step, ...file, ...own },
    ...(pointMeta !== undefined && { pointMeta }),
  };
  return { annotation: `${name}: ${kind} at step ${step}`, meta };
}

export function text(name: string, step: number, value: string, pointMeta?: JsonObject): Note {
  const meta = { kind: "text", metricName: name, step, ...(pointMeta && { pointMeta }) };
  return { annotation: `${name}: ${value}`, meta };
}

export async function annotate(
  experiment: ExperimentCaller,
  notes: readonly Note[],
): Promise<void> {
  for (let at = 0; at < notes.length; at += 500) {
    const events = notes
      .slice(at, at + 500)
      .map((note) =>
        event("experiment.annotate", { experimentId: experiment.experimentId, ...note }),
      );
    for (const reply of await experiment.send(...events))
      assert.equal(reply.event, "svc.v2.experiment.annotated", JSON.stringify(reply.data));
  }
}
