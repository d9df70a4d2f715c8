import assert from "node:assert/strict";
import { type HttpReply, type HttpRequest, type JsonObject, ok, parseObject } from "../../http.ts";
import type { MlflowCaller } from "./mlflow-calls.ts";

/** The files of a run, by their addresses. */
export class RunFiles {
  readonly id: string;
  readonly #caller: MlflowCaller;
  readonly #root: string;

  constructor(caller: MlflowCaller, id: string, root = `0/${id}/artifacts`) {
    this.#caller = caller;
    this.id = id;
    this.#root = root;
  }

  /** A request to the address of a file, whose name is encoded as clients do it. */
  at(path: string, request: Partial<HttpRequest> = {}): Promise<HttpReply> {
    return this.#caller.request({ ...request, path: this.address(path) });
  }

  address(path: string): string {
    const encoded = path.split("/").map(encodeURIComponent).join("/");
    return `/api/2.0/mlflow-artifacts/artifacts/${this.#root}/${encoded}`;
  }

  async put(path: string, body: string, headers: Record<string, string> = {}): Promise<HttpReply> {
    const sent = { "content-type": "text/plain", ...headers };
    const reply = await this.at(path, { method: "PUT", body, headers: sent });
    assert.equal(reply.status, 200, `${path}: ${reply.text}`);
    return reply;
  }

  async get(path: string): Promise<HttpReply> {
    const reply = await this.at(path);
    assert.equal(reply.status, 200, `${path}: ${reply.text}`);
    return reply;
  }

  async text(path: string): Promise<string> {
    return (await this.get(path)).text;
  }

  /** The whole answer of a list. */
  async listed(folder = ""): Promise<JsonObject> {
    return ok(await this.#list(folder));
  }

  async list(folder = ""): Promise<JsonObject[]> {
    return (await this.listed(folder)).files as JsonObject[];
  }

  async refusedList(folder: string): Promise<[number, string]> {
    const reply = await this.#list(folder);
    return [reply.status, String(parseObject(reply.text).error_code)];
  }

  #list(folder: string): Promise<HttpReply> {
    const path = folder === "" ? this.#root : `${this.#root}/${folder}`;
    const query = new URLSearchParams({ path }).toString();
    return this.#caller.request({ path: `/api/2.0/mlflow-artifacts/artifacts?${query}` });
  }
}
