import { dirname } from "node:path";
import { CommandError } from "../../../command.ts";
import type { MlflowStore, StoredExperiment, StoredModel, StoredRun } from "../mlflow-source.ts";
import type { Message } from "../mlflow-server.ts";
import { filesOf } from "./stored-files.ts";

type Row = Record<string, string | number | bigint | null>;
type Query = (text: string, ...values: string[]) => Row[];

const modelStatuses = [
  "LOGGED_MODEL_STATUS_UNSPECIFIED",
  "LOGGED_MODEL_PENDING",
  "LOGGED_MODEL_READY",
  "LOGGED_MODEL_UPLOAD_FAILED",
];

/**
 * MLflow's database in a file of SQLite, of any version: tables that it lacks are empty. It is
 * opened to read only.
 */
export class DatabaseStore implements MlflowStore {
  readonly problems: readonly string[] = [];
  readonly #path: string;
  readonly #query: Query;
  readonly #close: () => void;
  readonly #columns: ReadonlyMap<string, ReadonlySet<string>>;

  private constructor(path: string, query: Query, close: () => void) {
    this.#path = path;
    this.#query = query;
    this.#close = close;
    const tables = query("SELECT name FROM sqlite_master WHERE type = 'table'");
    this.#columns = new Map(
      tables.map(({ name }) => [
        String(name),
        new Set(
          query(`SELECT name FROM pragma_table_info('${String(name).replaceAll("'", "''")}')`).map(
            (column) => String(column["name"]),
          ),
        ),
      ]),
    );
    if (!this.#has("experiments") || !this.#has("runs"))
      throw new CommandError(`${path} is no database of MLflow: it has no table of runs`);
  }

  static async open(path: string): Promise<DatabaseStore> {
    const { DatabaseSync } = await import("node:sqlite");
    try {
      const database = new DatabaseSync(path, { readOnly: true });
      const query: Query = (text, ...values) => {
        const statement = database.prepare(text);
        // Steps and times have 64 bits.
        statement.setReadBigInts(true);
        return statement.all(...values) as Row[];
      };
      return new DatabaseStore(path, query, () => database.close());
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(`${path} cannot be read as SQLite: ${(error as Error).message}`);
    }
  }

  async experiments(): Promise<StoredExperiment[]> {
    const rows = this.#query(
      "SELECT experiment_id, name FROM experiments WHERE lifecycle_stage IS NOT 'deleted' ORDER BY experiment_id",
    );
    return Promise.resolve(
      rows.map((row) => {
        const id = String(row["experiment_id"]);
        return { id, name: String(row["name"]), tags: this.#pairs("experiment_tags", id) };
      }),
    );
  }

  async runs(experimentId: string): Promise<StoredRun[]> {
    const rows = this.#query(
      `SELECT * FROM runs WHERE CAST(experiment_id AS TEXT) = ? AND lifecycle_stage IS NOT 'deleted' ORDER BY start_time`,
      experimentId,
    );
    return Promise.resolve(rows.map((row) => this.#run(row, experimentId)));
  }

  #run(row: Row, experimentId: string): StoredRun {
    const runId = String(row["run_uuid"]);
    const keys = this.#query("SELECT DISTINCT key FROM metrics WHERE run_uuid = ?", runId);
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
      params: this.#pairs("params", runId),
      tags: this.#pairs("tags", runId),
      metrics: keys.map(({ key }) => ({ key })),
    };
    const inputs = {
      dataset_inputs: this.#datasets(runId),
      model_inputs: this.#links(runId, "RUN_INPUT"),
    };
    const outputs = { model_outputs: this.#links(runId, "RUN_OUTPUT") };
    const artifactUri = String(row["artifact_uri"] ?? "");
    return {
      message: { info, data, inputs, outputs },
      files: filesOf(artifactUri, dirname(this.#path)),
      artifactUri,
    };
  }

  async history(runId: string, key: string): Promise<Message[]> {
    const rows = this.#query(
      "SELECT * FROM metrics WHERE run_uuid = ? AND key = ? ORDER BY timestamp, step, value",
      runId,
      key,
    );
    return Promise.resolve(rows.map((row) => metricOf(row, "key")));
  }

  async models(experimentId: string): Promise<StoredModel[]> {
    if (!this.#has("logged_models")) return Promise.resolve([]);
    const rows = this.#query(
      "SELECT * FROM logged_models WHERE CAST(experiment_id AS TEXT) = ? AND lifecycle_stage IS NOT 'deleted'",
      experimentId,
    );
    return Promise.resolve(rows.map((row) => this.#model(row)));
  }

  #model(row: Row): StoredModel {
    const modelId = String(row["model_id"]);
    const ofModel = (table: string) =>
      this.#has(table) ? this.#query(`SELECT * FROM ${table} WHERE model_id = ?`, modelId) : [];
    const info = {
      model_id: modelId,
      name: row["name"],
      model_type: row["model_type"] || undefined,
      source_run_id: row["source_run_id"] ?? "",
      status: modelStatuses[Number(row["status"])],
      tags: ofModel("logged_model_tags").map((tag) => ({
        key: tag["tag_key"],
        value: tag["tag_value"] ?? "",
      })),
    };
    const data = {
      params: ofModel("logged_model_params").map((param) => ({
        key: param["param_key"],
        value: param["param_value"] ?? "",
      })),
      metrics: ofModel("logged_model_metrics").map((metric) => ({
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
    const files = filesOf(artifactUri, dirname(this.#path));
    return { message: { info, data }, files, artifactUri };
  }

  #datasets(runId: string): Message[] {
    if (!this.#has("inputs") || !this.#has("datasets")) return [];
    const rows = this.#query(
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
    return rows.map((row) => ({
      dataset: Object.fromEntries(
        Object.entries(names).flatMap(([name, column]) =>
          row[column] === null ? [] : [[name, row[column]]],
        ),
      ),
      tags: this.#query(
        "SELECT name AS key, value FROM input_tags WHERE input_uuid = ?",
        String(row["input"]),
      ).map(({ key, value }) => ({ key, value })),
    }));
  }

  #links(runId: string, kind: string): Message[] {
    if (!this.#has("inputs") || !this.#columns.get("inputs")!.has("step")) return [];
    const rows = this.#query(
      "SELECT destination_id, step FROM inputs WHERE source_id = ? AND source_type = ?",
      runId,
      kind,
    );
    return rows.map((row) => ({ model_id: row["destination_id"], step: plain(row["step"]) }));
  }

  #pairs(table: "params" | "tags" | "experiment_tags", owner: string): Message[] {
    if (!this.#has(table)) return [];
    const column = table === "experiment_tags" ? "CAST(experiment_id AS TEXT)" : "run_uuid";
    const rows = this.#query(`SELECT key, value FROM ${table} WHERE ${column} = ?`, owner);
    return rows.map(({ key, value }) => ({ key, value: value === null ? "" : String(value) }));
  }

  #has(table: string): boolean {
    return this.#columns.has(table);
  }

  [Symbol.dispose](): void {
    this.#close();
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
