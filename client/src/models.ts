import type { AliasOptions } from "./artifacts.ts";
import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type {
  AliasHistory,
  LinkVersionBody,
  ModelList,
  MovedModelAlias,
  ViewedModel,
  ViewedModelVersion,
} from "./wire.ts";

/** Registered models: names for numbered versions of artifacts, and of files of MLflow's runs. */
export class Models {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Returns a page of models by name; `after` is the `next` of the page before. */
  list(
    { search, after }: { search?: string; after?: string } = {},
    signal?: AbortSignal,
  ): Promise<ModelList> {
    return this.#calls.json(endpoints.listModels, { query: { search, after }, signal });
  }

  /** Reads a model with a page of its versions, the highest first. */
  read(model: string, before?: string, signal?: AbortSignal): Promise<ViewedModel> {
    return this.#calls.json(endpoints.readModel, { query: { model, before }, signal });
  }

  /** Reads a version by its number, `latest`, or an alias: `@best`. */
  version(model: string, version: string, signal?: AbortSignal): Promise<ViewedModelVersion> {
    return this.#calls.json(endpoints.readModelVersion, { query: { model, version }, signal });
  }

  /** Sets the description of a model. */
  async describe(model: string, description: string): Promise<void> {
    const call = { query: { model }, body: { description }, repeatable: true };
    await this.#calls.reply(endpoints.changeModel, call);
  }

  /** Adds a version of an artifact, once; the model is made if there is none. */
  link(model: string, body: LinkVersionBody): Promise<ViewedModelVersion> {
    return this.#calls.json(endpoints.linkVersion, { query: { model }, body, repeatable: true });
  }

  /** Sets or moves an alias. RequestError `conflict` when it does not point to `expected`. */
  setAlias(
    model: string,
    alias: string,
    version: number,
    { expected, signal }: Omit<AliasOptions, "expected"> & { expected?: number | null } = {},
  ): Promise<MovedModelAlias> {
    const body = { version, ...(expected === undefined ? {} : { expected }) };
    const call = { query: { model, alias }, body, repeatable: true, signal };
    return this.#calls.json(endpoints.setModelAlias, call);
  }

  /** Removes an alias, with `expected` only from this version. */
  async removeAlias(model: string, alias: string, expected?: number): Promise<void> {
    const query = { model, alias, ...(expected === undefined ? {} : { expected: `${expected}` }) };
    await this.#calls.reply(endpoints.removeModelAlias, { query });
  }

  /** Returns changes of aliases, the newest first; `before` is the `next` of the page before. */
  aliasChanges(model: string, before?: string, signal?: AbortSignal): Promise<AliasHistory> {
    const call = { query: { model, before }, signal };
    return this.#calls.json(endpoints.listModelAliasChanges, call);
  }
}
