import type { Transaction, Value } from "../../database/database.ts";
import { storedInteger, storedValue } from "./metric.ts";
import { nameTag } from "./name.ts";
import { noteTag } from "./native.ts";

export const texts = ["", "a", "A", "aB", "a%b", "a_b", "*[?", "é", "ﬀ", "😀", "0.5", "b/"];
export const numbers = [-Infinity, -1.5, 0, 0.1, 1, 2 ** 53, Infinity, NaN];
const times = [0, 1, 2, 2 ** 50];
export const words = ["", "RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"];
const runs = 90;

/** Runs of every kind, native ones too, with repeated values. */
export async function fillSearched(transaction: Transaction): Promise<void> {
  const insert = (table: string, row: Record<string, Value>) => {
    const values = Object.values(row);
    const places = values.map((_, at) => `$${at + 1}`).join(", ");
    const columns = Object.keys(row).join(", ");
    return transaction.run(`INSERT INTO ${table} (${columns}) VALUES (${places})`, ...values);
  };
  let state = 1;
  const pick = <T>(from: readonly T[]): T => {
    state = (state * 48_271) % 2_147_483_647;
    return from[state % from.length];
  };
  const maybe = <T>(from: readonly T[]): T | null => (pick([true, false]) ? pick(from) : null);
  const organization = "org";
  await insert("organization", { id: organization, name: "org", created_at_ms: 0 });
  await insert("folder", { id: "f", organization, name: "f", created_at_ms: 0 });
  await insert("metric_name", { organization, name: "m", meta: "" });
  for (const [id, name, digest] of [
    ["d1", "a", "1"],
    ["d2", "aB", "2"],
  ]) {
    const about = { organization, folder: "f", source_type: "", source: "", bytes: 0 };
    await insert("dataset", { id, name, digest, ...about });
  }
  for (let at = 0; at < runs; at++) {
    const experiment = `e${String((at * 37) % runs).padStart(2, "0")}`;
    const isNative = at % 3 === 0;
    await insert("experiment", {
      id: experiment,
      organization,
      slug: `${pick(texts)}-${experiment}`,
      description: isNative ? pick(texts) : "",
      meta: isNative
        ? pick(["{}", '{"p":"a"}', '{"p":0.5,"q":{"r":"é"},"_environment":{"user":"a"}}'])
        : "{}",
      folder: maybe(["f"]),
      status: pick(["running", "done", "error"]),
      created_at_ms: pick(times),
      updated_at_ms: 0,
      started_at_ms: maybe(times),
      done_at_ms: maybe(times),
      error_at_ms: maybe(times),
      status_at_ms: 0,
      trashed_at_ms: at % 20 === 19 ? 1 : null,
    });
    const points = pick([0, 2]);
    const seqs = { log_seq: 0, seal_seq: 0, manifest_seq: 0, sealed_points: 0, revision: 1 };
    await insert("head", { experiment, points, ...seqs, appended_at_ms: 0 });
    const folded = { counted: 1, folded_seq: 0, folded_points: points, folded_at_ms: 0 };
    await insert("summarized", { experiment, ...folded, meta_version: 1, indexed_version: 1 });
    if (isNative && points > 0) {
      await insert("series", { experiment, partition: 0, name: "m", meta: "{}" });
      await transaction.run(
        `INSERT INTO metric_summary (metric, experiment, folded_seq, points, sum, first, first_step,
           first_timestamp, first_partition, last, last_step, last_timestamp, last_partition, min,
           min_step, max, max_step)
         SELECT id, $1, 0, 2, 0, 0, 0, 0, 0, $2, 5, 5, 0, 0, 0, 0, 0 FROM metric_name`,
        experiment,
        pick(numbers.filter(Number.isFinite)),
      );
    }
    if (isNative && pick([true, false])) continue;
    await insert("run", {
      experiment,
      user_name: pick(texts),
      start_time: maybe(times),
      end_time: maybe(times),
      status_word: pick(words),
      artifact_location: maybe([...texts, "s3://b/?a=b"]),
      points: isNative ? 0 : points,
      deleted_at_ms: pick([null, null, 1]),
      deleted_with_folder: 0,
    });
    for (const [table, key] of [
      ["run_param", "p"],
      ["run_param", "q.r"],
      ["run_tag", "t"],
      ["run_tag", nameTag],
      ["run_tag", noteTag],
      ["run_tag", "mlflow.user"],
    ]) {
      const value = maybe(texts);
      if (value !== null) await insert(table, { experiment, key, value });
    }
    for (const key of ["m", "n"]) {
      const metric = maybe(numbers);
      if (metric === null) continue;
      const place = { timestamp: storedInteger(1n), step: storedInteger(BigInt(pick([1, 9]))) };
      const trashed = pick([0, 0, 1]);
      await insert("run_metric", { experiment, key, ...storedValue(metric), ...place, trashed });
    }
    const dataset = maybe(["d1", "d2"]);
    const about = { number: 0, tags: "[]", context: maybe(texts) };
    if (dataset !== null) await insert("run_input", { experiment, dataset, ...about });
  }
}
