import { atLeastOne, integer, invalid, list, required, seeDocs, text } from "./message.ts";
import { answered, mlflow } from "./mlflow.ts";
import { printPoints } from "./print.ts";

const runsMax = 100;
const pointsMax = 25_000;
const pointsPerRunMax = 2_500;
const int64 = { least: -(2n ** 63n), greatest: 2n ** 63n - 1n };

/** A metric of many runs at once, as pages ask it. */
export const histories = mlflow({
  mlflowMetricHistories: answered(
    { run_id: list(text), metric_key: text, max_results: integer },
    async ({ organizationId, message: given, served: { storage } }) => {
      const { run_id: runIds, metric_key: key, max_results: asked = BigInt(pointsMax) } = given;
      if (runIds.length === 0)
        throw invalid("GetMetricHistoryBulk request must specify at least one run_id.");
      if (runIds.length > runsMax) {
        throw invalid(
          `GetMetricHistoryBulk request cannot specify more than ${runsMax} run_ids. Received ${runIds.length} run_ids.`,
        );
      }
      if (key === undefined)
        throw invalid("GetMetricHistoryBulk request must specify a metric_key.");
      if (asked < 0n) {
        throw invalid(
          `Invalid value ${asked} for parameter 'max_results' supplied. It must be a positive integer`,
        );
      }
      const limit = asked < pointsMax ? Number(asked) : pointsMax;
      const found = await storage.read("run.histories", { organizationId, runIds, key, limit });
      return { metrics: printPoints(key, found) ?? [] };
    },
  ),

  mlflowSampledHistories: answered(
    {
      run_ids: atLeastOne(list(text)),
      metric_key: required(text),
      start_step: integer,
      end_step: integer,
      max_results: integer,
    },
    async ({ organizationId, message: given, served: { storage } }) => {
      const { run_ids: runIds, metric_key: key, max_results: asked } = given;
      checkRunIds(runIds);
      if (asked !== undefined && (asked < 1n || asked > pointsPerRunMax))
        throw invalid(`max_results must be between 1 and ${pointsPerRunMax}.${seeDocs}`);
      const limit = asked === undefined ? pointsPerRunMax : Number(asked);
      const steps = stepsOf(given.start_step, given.end_step);
      const input = { organizationId, runIds, key, limit, steps };
      const found = await storage.read("run.sampledHistories", input);
      return { metrics: printPoints(key, found) };
    },
  ),
});

function checkRunIds(runIds: readonly string[]): void {
  if (runIds.length <= runsMax) return;
  throw invalid(
    `GetMetricHistoryBulkInterval request must specify at most ${runsMax} run_ids. Received ${runIds.length} run_ids.${seeDocs}`,
  );
}

function stepsOf(from: bigint | undefined, to: bigint | undefined): { from: bigint; to: bigint } {
  if (from === undefined && to === undefined) return { from: int64.least, to: int64.greatest };
  if (from === undefined || to === undefined)
    throw invalid("If either start step or end step are specified, both must be specified.");
  if (from > to) {
    throw invalid(
      `end_step must be greater than start_step. Found start_step=${from} and end_step=${to}.`,
    );
  }
  return { from, to };
}
