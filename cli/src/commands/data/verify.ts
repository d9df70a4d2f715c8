import { tmpdir } from "node:os";
import type { Verification } from "@lossless/server/operator/verify";
import { placeHelp, placeOptions, placeSettingsOf } from "../../backup-place.ts";
import {
  type Command,
  type CommandOptions,
  type Invocation,
  noPositionals,
  UsageError,
} from "../../command.ts";
import { dataHelp, dataOptions, driverSettingsOf, serviceOptionsOf } from "../../data-location.ts";
import { Interruption } from "../../interruption.ts";
import { countedText, printable } from "../../output.ts";
import { Progress } from "../../progress.ts";
import { choiceHelp, choiceOf, choiceOptions } from "./restore.ts";

const optionsOfData: CommandOptions = {
  ...dataOptions,
  segments: { type: "string" },
  artifacts: { type: "string" },
};

const optionsOfBackup: CommandOptions = {
  ...choiceOptions,
  ...placeOptions,
  staging: { type: "string" },
};

export const verify: Command = {
  usage: "verify [--data DIR | --database-url U | --config FILE | --backup PLACE]",
  help: `
Reads all stored data, of a stopped or a running service, and checks every checksum and count. It reads files of
artifacts at the built-in location and counts those in buckets, which lossless pull checks. Changes nothing. Exit code 0:
no damage; 5: damage. With --backup it checks a backup instead: it reads the whole backup, as a restore does, to a
temporary directory that takes as much room.

  --segments U       sealed points in S3, as for the service (LOSSLESS_SEGMENTS)
  --artifacts DIR    files of the built-in location (LOSSLESS_ARTIFACTS; artifacts in the data directory)${dataHelp}
  --backup PLACE     a backup there: a directory, or s3://bucket/prefix${choiceHelp}${placeHelp}
  --staging DIR      the directory to unpack it in (the system's directory for temporary files)`,
  options: { ...optionsOfData, ...optionsOfBackup, backup: { type: "string" } },
  async run(invocation) {
    noPositionals(invocation);
    const place = invocation.values.text("backup");
    const others = Object.keys(place === undefined ? optionsOfBackup : optionsOfData);
    const astray = others.find((name) => invocation.values.text(name) !== undefined);
    if (astray !== undefined)
      throw new UsageError(`--${astray} goes ${place === undefined ? "with" : "without"} --backup`);
    const { exitCodes } = await import("@lossless/server/ground/exit-codes");
    const result = await (place === undefined ? ofData(invocation) : ofBackup(invocation, place));
    invocation.output.answer(result, () => resultText(result));
    return result.problems.length === 0 ? 0 : exitCodes.corruption;
  },
};

async function ofBackup(invocation: Invocation, place: string): Promise<Verification> {
  const { verifyBackup } = await import("@lossless/server/operator/restore");
  using bar = new LateProgress(invocation.output);
  let clean = (): void => undefined;
  using _interruption = new Interruption(() => clean());
  const { generation, verification } = await verifyBackup(
    {
      ...placeSettingsOf(invocation, place),
      choice: choiceOf(invocation),
      staging: invocation.values.text("staging") ?? tmpdir(),
      interruptible: (wanted) => (clean = wanted),
    },
    (done, of) => bar.show(done, of),
  );
  invocation.output.note(`Backup: ${generation.id} in ${place}`);
  return verification;
}

async function ofData(invocation: Invocation): Promise<Verification> {
  const { output, environment } = invocation;
  const { segmentStoreOf } = await import("@lossless/server/settings/segment-store");
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
  return await check(settings, (done, of) => bar.show(done, of));
}

function resultText(result: Verification): string {
  const lines = result.problems.map((problem) => printable(named(problem, result.slugs)));
  const { experiments, points, objects, logRecords, versions, files } = result;
  const seen =
    `${countedText(experiments, "experiment")}, ${countedText(points, "point")}, ${countedText(objects, "object")}, ` +
    `${countedText(logRecords, "log record")}, ${countedText(versions, "version")}, ${countedText(files, "file")}`;
  const verdict =
    lines.length === 0
      ? `no damage: ${seen}`
      : `${countedText(lines.length, "problem")} found in ${seen}`;
  return [...lines, verdict, ...elsewhere(result.versionsElsewhere)].join("\n");
}

function elsewhere(versions: number): string[] {
  if (versions === 0) return [];
  const which = `${countedText(versions, "version")} at ${versions === 1 ? "another location" : "other locations"}`;
  return [`${which} not checked: lossless pull checks the SHA-256 of every file that it fetches`];
}

/** Replaces the experiment's id, with which a problem begins, by its slug, which people know. */
function named(problem: string, slugs: Readonly<Record<string, string>>): string {
  const id = /^[^ :/]+/.exec(problem)?.[0] ?? "";
  return Object.hasOwn(slugs, id) ? `${slugs[id]}: ${problem}` : problem;
}

/** A progress bar whose total is known only with the first update. */
class LateProgress implements Disposable {
  readonly #output: Invocation["output"];
  #progress: Progress | undefined;
  #done = 0;

  constructor(output: Invocation["output"]) {
    this.#output = output;
  }

  show(done: number, of: number): void {
    this.#progress ??= new Progress(
      this.#output,
      of,
      (all) => `${all} of ${countedText(of, "experiment")}`,
    );
    this.#progress.advance(done - this.#done);
    this.#done = done;
  }

  [Symbol.dispose](): void {
    this.#progress?.[Symbol.dispose]();
  }
}
