import { openAsBlob } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../../../command.ts";
import { type Message, messageIn, textIn } from "../mlflow-server.ts";
import type { MlflowSource, MlflowStore, StoredModel, StoredRun } from "../mlflow-source.ts";
import { listedFiles } from "./stored-files.ts";

/** Answers the requests of a copy from a store, as MLflow's server would. */
export class StoreSource implements MlflowSource {
  readonly url: string;
  readonly #store: MlflowStore;
  /** Runs and models of the experiments that were asked for. */
  readonly #runs = new Map<string, StoredRun>();
  readonly #models = new Map<string, StoredModel>();
  /** Files that are not on this machine, by where they are. */
  readonly elsewhere = new Map<string, number>();

  constructor(store: MlflowStore, place: string) {
    this.#store = store;
    this.url = place;
  }

  post(path: string): Promise<Message> {
    if (path === "experiments/search") return Promise.resolve({});
    throw new Error(`BUG: a store is asked for ${path}`);
  }

  get(path: string, query: Readonly<Record<string, string>>): Promise<Message> {
    if (path !== "runs/get") throw new Error(`BUG: a store is asked for ${path}`);
    return Promise.resolve({ run: this.#runs.get(query["run_id"])!.message });
  }

  async *search(path: string, message: Message): AsyncGenerator<Message> {
    const [experimentId] = (message["experiment_ids"] ?? []) as string[];
    if (path === "experiments/search")
      for (const { id, name, tags } of await this.#store.experiments())
        yield { experiment_id: id, name, tags };
    else if (path === "runs/search")
      for (const run of await this.#store.runs(experimentId)) {
        this.#runs.set(textIn(messageIn(run.message, "info"), "run_id"), run);
        yield run.message;
      }
    else if (path === "logged-models/search")
      for (const model of await this.#store.models(experimentId)) {
        this.#models.set(textIn(messageIn(model.message, "info"), "model_id"), model);
        yield model.message;
      }
    else throw new Error(`BUG: a store is asked for ${path}`);
  }

  async *pages(path: string, query: Readonly<Record<string, string>>): AsyncGenerator<Message[]> {
    if (path === "metrics/get-history")
      yield await this.#store.history(query["run_id"], query["metric_key"]);
    else if (path === "artifacts/list")
      yield await this.#files(this.#runs.get(query["run_id"]), query["path"]);
    else {
      const [, modelId] = path.split("/");
      yield await this.#files(this.#models.get(modelId), query["artifact_directory_path"]);
    }
  }

  async #files(owner: StoredRun | StoredModel | undefined, path = ""): Promise<Message[]> {
    if (owner === undefined) return [];
    if (owner.files === undefined) {
      const { artifactUri } = owner;
      if (artifactUri !== "")
        this.elsewhere.set(artifactUri, (this.elsewhere.get(artifactUri) ?? 0) + 1);
      return [];
    }
    return listedFiles(owner.files, path);
  }

  file(runId: string, path: string): Promise<ReadableStream<Uint8Array>> {
    return streamOf(this.#runs.get(runId), path);
  }

  modelFile(modelId: string, path: string): Promise<ReadableStream<Uint8Array>> {
    return streamOf(this.#models.get(modelId), path);
  }
}

async function streamOf(
  owner: StoredRun | StoredModel | undefined,
  path: string,
): Promise<ReadableStream<Uint8Array>> {
  const place = join(owner?.files ?? "", path);
  try {
    return (await openAsBlob(place)).stream();
  } catch (error) {
    throw new CommandError(`${place} cannot be read: ${(error as Error).message}`);
  }
}
