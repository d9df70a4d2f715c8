import { CommandError } from "../../../command.ts";
import type { MlflowStore, StoredExperiment, StoredModel, StoredRun } from "../mlflow-source.ts";
import type { Message } from "../mlflow-server.ts";
import { filesOf, type StorePlace } from "./stored-files.ts";

/** A row as its driver gives it: integers of 64 bits are bigints or texts. */
export type Row = Record<string, string | number | bigint | boolean | null>;

/** A database that holds MLflow's tables. It is opened to read only. */
export interface MlflowDatabase extends StorePlace, AsyncDisposable {
  /** As people know it, without a password. */
  readonly name: string;
  /** The rows of a query, in which each `?` is the next of the values. */
  query(text: string, ...values: string[]): Promise<Row[]>;
  /** Each table with each of its columns. */
  columns(): Promise<(readonly [table: string, column: string])[]>;
}

const modelStatuses = [
  "LOGGED_MODEL_STATUS_UNSPECIFIED",
  "LOGGED_MODEL_PENDING",
  "LOGGED_MODEL_READY",
  "LOGGED_MODEL_UPLOAD_FAILED",
];

/** MLflow's tables in a database, of any version: those that it lacks are empty. */
export class DatabaseStore implements MlflowStore {
  readonly problems: readonly string[] = [];
  readonly #database: MlflowDatabase;
  /** The columns of each table. */
  readonly #columns: ReadonlyMap<string, ReadonlySet<string>>;

  private constructor(database: MlflowDatabase, columns: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#database = database;
    this.#columns = columns;
  }

  /** A database that is refused is closed. */
  static async open(database: MlflowDatabase): Promise<DatabaseStore> {
    try {
      const columns = new Map<string, Set<string>>();
      for (const [table, column] of await database.columns())
        columns.set(table, (columns.get(table) ?? new Set()).add(column));
      if (columns.has("experiments") && columns.has("runs"))
        return new DatabaseStore(database, columns);
      throw new CommandError(`${database.name} is no database of MLflow: it has no table of runs`);
    } catch (error) {
      await database[Symbol.asyncDispose]();
      throw error;
    }
  }

  async experiments(): Promise<StoredExperiment[]> {
    const rows = await this.#database.query(
      "SELECT experiment_id, name FROM experiments WHERE lifecycle_stage IS DISTINCT FROM 'deleted' ORDER BY experiment_id",
    );
    const found: StoredExperiment[] = [];
    for (const row of rows) {
      const id = String(row["experiment_id"]);
      const tags = await this.#pairs("experiment_tags", id);
      found.push({ id, name: String(row["name"]), tags });
    }
    return found;
  }

  async runs(experimentId: string): Promise<StoredRun[]> {
    const rows = await this.#database.query(
      `SELECT * FROM runs WHERE CAST(experiment_id AS TEXT) = ? AND lifecycle_stage IS DISTINCT FROM 'deleted' ORDER BY start_time`,
      experimentId,
    );
    const found: StoredRun[] = [];
    for (const row of rows) found.push(await this.#run(row, experimentId));
    return found;
  }

  async #run(row: Row, experimentId: string): Promise<StoredRun> {
    const runId = String(row["run_uuid"]);
    const keys = await this.#database.query(
      "SELECT DISTINCT key FROM metrics WHERE run_uuid = ?",
      runId,
    );
    const info = {
      run_id: runId,
      run_name: row["name"] ?? undefined,
      user_id: row["user_id"] ?? undefined,
      experiment_id: experimentId,
      start_time: plain(row["start_time"]),
      ...(row["end_time"] !== null && { end_time: plain(row["end_time"]) }),
      status: row["status"],
    };
    const data = {
      params: await this.#pairs("params", runId),
      tags: await this.#pairs("tags", runId),
      metrics: keys.map(({ key }) => ({ key })),
    };
    const inputs = {
      dataset_inputs: await this.#datasets(runId),
      model_inputs: await this.#links(runId, "RUN_INPUT"),
    };
    const outputs = { model_outputs: await this.#links(runId, "RUN_OUTPUT") };
    const artifactUri = String(row["artifact_uri"] ?? "");
    return {
      message: { info, data, inputs, outputs },
      files: filesOf(artifactUri, this.#database),
      artifactUri,
    };
  }

  async history(runId: string, key: string): Promise<Message[]> {
    const rows = await this.#database.query(
      "SELECT * FROM metrics WHERE run_uuid = ? AND key = ? ORDER BY timestamp, step, value",
      runId,
      key,
    );
    return rows.map((row) => metricOf(row, "key"));
  }

  async models(experimentId: string): Promise<StoredModel[]> {
    if (!this.#has("logged_models")) return [];
    const rows = await this.#database.query(
      "SELECT * FROM logged_models WHERE CAST(experiment_id AS TEXT) = ? AND lifecycle_stage IS DISTINCT FROM 'deleted'",
      experimentId,
    );
    const found: StoredModel[] = [];
    for (const row of rows) found.push(await this.#model(row));
    return found;
  }

  async #model(row: Row): Promise<StoredModel> {
    const modelId = String(row["model_id"]);
    const ofModel = (table: string) =>
      !this.#has(table)
        ? []
        : this.#database.query(`SELECT * FROM ${table} WHERE model_id = ?`, modelId);
    const info = {
      model_id: modelId,
      name: row["name"],
      model_type: row["model_type"] || undefined,
      source_run_id: row["source_run_id"] ?? "",
      status: modelStatuses[Number(row["status"])],
      tags: (await ofModel("logged_model_tags")).map((tag) => ({
        key: tag["tag_key"],
        value: tag["tag_value"] ?? "",
      })),
    };
    const data = {
      params: (await ofModel("logged_model_params")).map((param) => ({
        key: param["param_key"],
        value: param["param_value"] ?? "",
      })),
      metrics: (await ofModel("logged_model_metrics")).map((metric) => ({
        ...metricOf(
          {
            ...metric,
            key: metric["metric_name"],
            value: metric["metric_value"],
            timestamp: metric["metric_timestamp_ms"],
            step: metric["metric_step"],
          },
          "key",
        ),
        run_id: metric["run_id"],
      })),
    };
    const artifactUri = String(row["artifact_location"] ?? "");
    const files = filesOf(artifactUri, this.#database);
    return { message: { info, data }, files, artifactUri };
  }

  async #datasets(runId: string): Promise<Message[]> {
    if (!this.#has("inputs") || !this.#has("datasets")) return [];
    const rows = await this.#database.query(
      `SELECT inputs.input_uuid AS input, datasets.* FROM inputs JOIN datasets ON datasets.dataset_uuid = inputs.source_id
       WHERE inputs.destination_id = ? AND inputs.source_type = 'DATASET'`,
      runId,
    );
    const names = {
      name: "name",
      digest: "digest",
      source_type: "dataset_source_type",
      source: "dataset_source",
      schema: "dataset_schema",
      profile: "dataset_profile",
    };
    const found: Message[] = [];
    for (const row of rows) {
      const dataset = Object.fromEntries(
        Object.entries(names).flatMap(([name, column]) =>
          row[column] === null ? [] : [[name, row[column]]],
        ),
      );
      const tags = await this.#database.query(
        "SELECT name AS key, value FROM input_tags WHERE input_uuid = ?",
        String(row["input"]),
      );
      found.push({ dataset, tags: tags.map(({ key, value }) => ({ key, value })) });
    }
    return found;
  }

  async #links(runId: string, kind: string): Promise<Message[]> {
    if (!this.#has("inputs") || !this.#columns.get("inputs")!.has("step")) return [];
    const rows = await this.#database.query(
      "SELECT destination_id, step FROM inputs WHERE source_id = ? AND source_type = ?",
      runId,
      kind,
    );
    return rows.map((row) => ({ model_id: row["destination_id"], step: plain(row["step"]) }));
  }

  async #pairs(table: "params" | "tags" | "experiment_tags", owner: string): Promise<Message[]> {
    if (!this.#has(table)) return [];
    const column = table === "experiment_tags" ? "CAST(experiment_id AS TEXT)" : "run_uuid";
    const rows = await this.#database.query(
      `SELECT key, value FROM ${table} WHERE ${column} = ?`,
      owner,
    );
    return rows.map(({ key, value }) => ({ key, value: value === null ? "" : String(value) }));
  }

  #has(table: string): boolean {
    return this.#columns.has(table);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#database[Symbol.asyncDispose]();
  }
}

function metricOf(row: Row, key: string): Message {
  const isNan = Number(row["is_nan"] ?? 0) === 1;
  const dataset = row["dataset_name"]
    ? { dataset_name: row["dataset_name"], dataset_digest: row["dataset_digest"] }
    : {};
  return {
    key: row[key],
    value: isNan ? "NaN" : Number(row["value"]),
    timestamp: plain(row["timestamp"]),
    step: plain(row["step"] ?? 0n),
    ...dataset,
  };
}

/** Integers as JSON has them; texts beyond a double, which MLflow accepts. */
function plain(value: Row[string]): string | number {
  const number = Number(value ?? 0);
  return Number.isSafeInteger(number) ? number : String(value);
}
