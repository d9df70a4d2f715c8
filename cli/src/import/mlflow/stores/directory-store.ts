import { createReadStream, existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { CommandError } from "../../../command.ts";
import type { MlflowStore, StoredExperiment, StoredModel, StoredRun } from "../mlflow-source.ts";
import type { Message } from "../mlflow-server.ts";
import { filesAt, filesOf } from "./stored-files.ts";
import { plainYaml } from "./plain-yaml.ts";

/** As protobuf numbers them. */
const runStatuses = ["", "RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"];
const modelStatuses = [
  "LOGGED_MODEL_STATUS_UNSPECIFIED",
  "LOGGED_MODEL_PENDING",
  "LOGGED_MODEL_READY",
  "LOGGED_MODEL_UPLOAD_FAILED",
];
/** Directories of an experiment that are no runs. */
const reserved: ReadonlySet<string> = new Set(["tags", "datasets", "traces", "models"]);

/** A directory `mlruns`, as MLflow's file store writes it. */
export class DirectoryStore implements MlflowStore {
  readonly #root: string;
  readonly #runs = new Map<string, string>();
  readonly problems: string[] = [];

  constructor(root: string) {
    this.#root = resolve(root);
  }

  /** Whether a directory is one. */
  static async isOne(root: string): Promise<boolean> {
    for (const name of await namesIn(root))
      if ((await stat(join(root, name, "meta.yaml")).catch(() => undefined)) !== undefined)
        return true;
    return false;
  }

  async experiments(): Promise<StoredExperiment[]> {
    const found: StoredExperiment[] = [];
    for (const name of await namesIn(this.#root)) {
      // `.trash` has the deleted ones, `models` the registry.
      if (name.startsWith(".") || name === "models") continue;
      const meta = await this.#meta(join(this.#root, name));
      if (meta === undefined || meta["lifecycle_stage"] === "deleted") continue;
      const tags = await this.#texts(join(this.#root, name, "tags"));
      found.push({ id: textOf(meta["experiment_id"]), name: textOf(meta["name"]), tags });
    }
    return found;
  }

  async runs(experimentId: string): Promise<StoredRun[]> {
    const directory = join(this.#root, experimentId);
    const found: StoredRun[] = [];
    for (const name of await namesIn(directory)) {
      if (reserved.has(name)) continue;
      const meta = await this.#meta(join(directory, name));
      if (meta === undefined || meta["lifecycle_stage"] === "deleted") continue;
      found.push(await this.#run(join(directory, name), experimentId, meta));
    }
    const startOf = ({ message }: StoredRun) => Number((message["info"] as Message)["start_time"]);
    return found.toSorted((left, right) => startOf(left) - startOf(right));
  }

  async #run(
    directory: string,
    experimentId: string,
    meta: Record<string, unknown>,
  ): Promise<StoredRun> {
    const runId = textOf(meta["run_id"] ?? meta["run_uuid"]);
    this.#runs.set(runId, directory);
    const keys = await filesAt(join(directory, "metrics"));
    const status = meta["status"];
    const info = {
      run_id: runId,
      run_name: meta["run_name"] ?? meta["name"] ?? undefined,
      user_id: meta["user_id"] ?? undefined,
      experiment_id: experimentId,
      start_time: meta["start_time"],
      ...(meta["end_time"] !== null && { end_time: meta["end_time"] }),
      // Old versions wrote the word.
      status: typeof status === "number" ? runStatuses[status] : status,
    };
    const data = {
      params: await this.#texts(join(directory, "params")),
      tags: await this.#texts(join(directory, "tags")),
      metrics: keys.map((key) => ({ key })),
    };
    const inputs = {
      dataset_inputs: await this.#datasets(directory, join(this.#root, experimentId, "datasets")),
      model_inputs: await this.#models(join(directory, "inputs"), "MODEL_INPUT"),
    };
    const outputs = {
      model_outputs: await this.#models(join(directory, "outputs"), "MODEL_OUTPUT"),
    };
    const artifactUri = textOf(meta["artifact_uri"]);
    const files = this.#filesOf(join(directory, "artifacts"), artifactUri);
    return { message: { info, data, inputs, outputs }, files, artifactUri };
  }

  async history(runId: string, key: string): Promise<Message[]> {
    return this.#values(join(this.#runs.get(runId)!, "metrics", key), key);
  }

  /** Lines of `timestamp value step`, and since MLflow 3 the data set; old ones lack the step. */
  async #values(path: string, key: string): Promise<Message[]> {
    const found: Message[] = [];
    const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
    let number = 0;
    for await (const line of lines) {
      number++;
      if (line.trim() === "") continue;
      const [timestamp, value, step = "0", name, digest] = line.trim().split(" ");
      const number64 = /^[-+]?(?:nan|inf(?:inity)?)$/i.test(value ?? "")
        ? wordOf(value)
        : Number(value || "none");
      if (!/^-?\d+$/.test(timestamp) || !/^-?\d+$/.test(step) || Number.isNaN(number64)) {
        this.problems.push(`${path}:${number}: it is no value of a metric`);
        continue;
      }
      const dataset = digest === undefined ? {} : { dataset_name: name, dataset_digest: digest };
      found.push({ key, value: number64, timestamp, step, ...dataset });
    }
    return found;
  }

  async models(experimentId: string): Promise<StoredModel[]> {
    const directory = join(this.#root, experimentId, "models");
    const found: StoredModel[] = [];
    for (const name of await namesIn(directory)) {
      const place = join(directory, name);
      const meta = await this.#meta(place);
      if (meta === undefined || meta["lifecycle_stage"] === "deleted") continue;
      const sourceRun = textOf(meta["source_run_id"]);
      const metrics: Message[] = [];
      for (const key of await filesAt(join(place, "metrics")))
        for (const metric of await this.#values(join(place, "metrics", key), key))
          metrics.push({ ...metric, run_id: sourceRun });
      const info = {
        model_id: name,
        name: meta["name"],
        model_type: meta["model_type"] ?? undefined,
        source_run_id: sourceRun,
        status: modelStatuses[Number(meta["status"])],
        tags: await this.#texts(join(place, "tags")),
      };
      const data = { params: await this.#texts(join(place, "params")), metrics };
      const artifactUri = textOf(meta["artifact_location"]);
      const files = this.#filesOf(join(place, "artifacts"), artifactUri);
      found.push({ message: { info, data }, files, artifactUri });
    }
    return found;
  }

  [Symbol.asyncDispose](): Promise<void> {
    // Nothing stays open.
    return Promise.resolve();
  }

  #filesOf(own: string, uri: string): string | undefined {
    if (existsSync(own)) return own;
    return uri === "" ? own : filesOf(uri, { directory: dirname(this.#root), isBesideFiles: true });
  }

  async #datasets(directory: string, datasets: string): Promise<Message[]> {
    const found: Message[] = [];
    for (const name of await namesIn(join(directory, "inputs"))) {
      const input = await this.#meta(join(directory, "inputs", name));
      if (input?.["source_type"] !== "DATASET") continue;
      const dataset = await this.#meta(join(datasets, textOf(input["source_id"])));
      if (dataset === undefined) continue;
      const tags = Object.entries((input["tags"] ?? {}) as Record<string, unknown>);
      found.push({
        dataset: Object.fromEntries(
          ["name", "digest", "source_type", "source", "schema", "profile"].flatMap((key) =>
            dataset[key] === null || dataset[key] === undefined
              ? []
              : [[key, textOf(dataset[key])]],
          ),
        ),
        tags: tags.map(([key, value]) => ({ key, value: textOf(value) })),
      });
    }
    return found;
  }

  async #models(directory: string, kind: string): Promise<Message[]> {
    const found: Message[] = [];
    for (const name of await namesIn(directory)) {
      const link = await this.#meta(join(directory, name));
      if (link?.["destination_type"] === kind || link?.["source_type"] === kind)
        found.push({
          model_id: textOf(link["destination_id"]).startsWith("m-")
            ? link["destination_id"]
            : link["source_id"],
          step: link["step"] ?? 0,
        });
    }
    return found;
  }

  /** Files of one value each: a slash in a key is a directory. */
  async #texts(directory: string): Promise<Message[]> {
    const found: Message[] = [];
    for (const key of await filesAt(directory))
      found.push({ key, value: await readFile(join(directory, key), "utf8") });
    return found;
  }

  async #meta(directory: string): Promise<Record<string, unknown> | undefined> {
    const path = join(directory, "meta.yaml");
    try {
      return plainYaml(await readFile(path, "utf8"));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR") return undefined;
      throw new CommandError(`${relative(this.#root, path)} cannot be read: ${message}`);
    }
  }
}

/** MLflow's own words for what JSON lacks. */
function wordOf(text: string): string {
  if (/nan/i.test(text)) return "NaN";
  return text.startsWith("-") ? "-Infinity" : "Infinity";
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

async function namesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  return names.toSorted((left, right) => (left < right ? -1 : 1));
}
