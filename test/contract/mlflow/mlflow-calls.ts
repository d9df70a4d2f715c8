import assert from "node:assert/strict";
import {
  call,
  type HttpReply,
  type HttpRequest,
  type JsonObject,
  parseObject,
} from "../../http.ts";
import type { Target } from "../callers.ts";

/** An MLflow client, as far as HTTP shows one. */
export class MlflowCaller {
  readonly #target: Target;
  readonly #key: string;

  constructor(target: Target, key: string) {
    this.#target = target;
    this.#key = key;
  }

  async request(request: HttpRequest): Promise<HttpReply> {
    const reply = await call(this.#target.baseUrl, { credential: this.#key, ...request });
    this.#target.observe(request, reply);
    return reply;
  }

  /** The reply to a message, which must be 200. Texts are sent as they are. */
  async post(path: string, body: JsonObject | string): Promise<JsonObject> {
    return success(await this.request({ path: `/api/2.0/mlflow/${path}`, body }));
  }

  async get(path: string, query: Record<string, string> = {}): Promise<JsonObject> {
    const search = new URLSearchParams(query).toString();
    return success(await this.request({ path: `/api/2.0/mlflow/${path}?${search}` }));
  }

  /** The same with another method. */
  async ask(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
    return success(await this.request({ method, path: `/api/2.0/mlflow/${path}`, body }));
  }

  /** The status, code and sentence of a refusal. */
  async refusal(
    path: string,
    body?: JsonObject | string,
    method = body === undefined ? "GET" : "POST",
  ): Promise<[number, string, string]> {
    const reply = await this.request({ method, path: `/api/2.0/mlflow/${path}`, body });
    const { error_code: code, message } = parseObject(reply.text);
    return [reply.status, String(code), String(message)];
  }

  /** The id of a new experiment. */
  async experiment(name: string): Promise<string> {
    return String((await this.post("experiments/create", { name })).experiment_id);
  }

  /** The id of a new run. */
  async run(experimentId = "0", more: JsonObject = {}): Promise<string> {
    const given = { experiment_id: experimentId, start_time: 1_000, ...more };
    const { run } = await this.post("runs/create", given);
    return String(((run as JsonObject).info as JsonObject).run_id);
  }

  /** The id of a new logged model. */
  async model(experimentId = "0", more: JsonObject = {}): Promise<string> {
    const { model } = await this.post("logged-models", { experiment_id: experimentId, ...more });
    return String(((model as JsonObject).info as JsonObject).model_id);
  }

  /** Info and data of a run. */
  async read(runId: string): Promise<{ info: JsonObject; data: Record<string, JsonObject[]> }> {
    const { run } = await this.get("runs/get", { run_id: runId });
    return run as unknown as { info: JsonObject; data: Record<string, JsonObject[]> };
  }

  /** Names of the runs that a search finds. */
  async found(experimentId: string, more: JsonObject = {}): Promise<string[]> {
    const { runs = [] } = await this.post("runs/search", {
      experiment_ids: [experimentId],
      ...more,
    });
    return (runs as JsonObject[]).map(({ info }) => String((info as JsonObject).run_name));
  }
}

function success(reply: HttpReply): JsonObject {
  assert.equal(reply.status, 200, reply.text);
  return parseObject(reply.text);
}
