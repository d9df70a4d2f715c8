import { type Command, type Invocation, noPositionals } from "../command.ts";
import { dataHelp, dataOptions, driverSettingsOf, serviceOptionsOf } from "../data-location.ts";
import { countText, printable } from "../output.ts";
import { Progress } from "../progress.ts";

export const verify: Command = {
  usage: "verify [--data DIR | --database-url U | --config FILE]",
  help: `
Reads everything that is stored, of a stopped or a running service, and checks every checksum and count; of
artifacts the files of the built-in location; those in buckets are only counted, and lossless pull checks them.
Changes nothing. Exit code 0: all is as it was written; 5: it is
not.

  --segments U       sealed points in S3, as the service has it (LOSSLESS_SEGMENTS)
  --artifacts DIR    files of the built-in location (LOSSLESS_ARTIFACTS; artifacts in the data directory)${dataHelp}`,
  options: { ...dataOptions, segments: { type: "string" }, artifacts: { type: "string" } },
  run: runVerify,
};

async function runVerify(invocation: Invocation): Promise<number> {
  noPositionals(invocation);
  const { output, environment } = invocation;
  const { exitCodes } = await import("@lossless/server/exit-codes");
  const { segmentStoreOf } = await import("@lossless/server/segment-store");
  const { verify: check } = await import("@lossless/server/operator/verify");
  const { artifacts, segments: segmentsAt } = await serviceOptionsOf(invocation, [
    "artifacts",
    "segments",
  ]);
  const located = await driverSettingsOf(invocation);
  const segments =
    segmentsAt === undefined
      ? undefined
      : segmentStoreOf(segmentsAt, located.databaseUrl, environment);
  const settings = {
    ...located,
    segments,
    ...(artifacts === undefined ? {} : { artifacts }),
  };
  using bar = new LateProgress(output);
  const result = await check(settings, (done, of) => bar.show(done, of));
  output.answer(result, () => {
    const lines = result.problems.map((problem) => printable(named(problem, result.slugs)));
    const { experiments, points, objects, logRecords, versions, files } = result;
    const seen =
      `${countText(experiments)} experiments, ${countText(points)} points, ${countText(objects)} objects, ` +
      `${countText(logRecords)} log records, ${countText(versions)} versions, ${countText(files)} files`;
    const verdict =
      lines.length === 0
        ? `all sound: ${seen}`
        : `${lines.length} ${lines.length === 1 ? "problem" : "problems"} found in ${seen}`;
    return [...lines, verdict, ...elsewhere(result.versionsElsewhere)].join("\n");
  });
  return result.problems.length === 0 ? 0 : exitCodes.corruption;
}

function elsewhere(versions: number): string[] {
  if (versions === 0) return [];
  const which =
    versions === 1
      ? "1 version at another location is"
      : `${countText(versions)} versions at other locations are`;
  return [`${which} not looked at: lossless pull checks the SHA-256 of every file that it fetches`];
}

/** A problem begins with the experiment's id; people know the experiment by its slug. */
function named(problem: string, slugs: Readonly<Record<string, string>>): string {
  const id = /^[^ :/]+/.exec(problem)?.[0] ?? "";
  return Object.hasOwn(slugs, id) ? `${slugs[id]}: ${problem}` : problem;
}

/** The total is known only with the first news. */
class LateProgress implements Disposable {
  readonly #output: Invocation["output"];
  #progress: Progress | undefined;
  #done = 0;

  constructor(output: Invocation["output"]) {
    this.#output = output;
  }

  show(done: number, of: number): void {
    this.#progress ??= new Progress(this.#output, of, (all) => `${all} of ${of} experiments`);
    this.#progress.advance(done - this.#done);
    this.#done = done;
  }

  [Symbol.dispose](): void {
    this.#progress?.[Symbol.dispose]();
  }
}
