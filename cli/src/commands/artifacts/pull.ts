import { hasCode, type LosslessClient, RequestError } from "@lossless/client";
import {
  numberedVersion,
  pull,
  type PulledVersion,
  type TransferProgress,
} from "@lossless/client/files";
import { CommandError, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { Interruption } from "../../interruption.ts";
import { namedExperiment } from "../../named-experiment.ts";
import { OutageNotices } from "../../outage-notices.ts";
import { bytesText, countedText, printable } from "../../output.ts";
import { placeHelp, placeOptions, placeOptionsOf } from "../../place-options.ts";
import { TransferBar } from "../../transfer-bar.ts";

export const pullFiles = serviceCommand({
  usage: "pull ARTIFACT|--model NAME@ALIAS [DIR] [options]",
  help: `
Fetches a version into a directory, by default named after the last part of the artifact's path. Files arrive in a
hidden directory beside it, which is renamed when every file is complete, with the right size and SHA-256. After an
interruption, run the same command again to resume.

  --version V        name of the version, or an alias as @best (latest)
  --model NAME@V     a version of a registered model instead of an artifact: its number, its alias, or "latest"
  --for SLUG         note in the lineage of this run that it used the version
  --as ROLE          its part in that run, such as validation
  --force            replace DIR, as a whole, when it exists
  --no-verify        do not compare checksums
  --parallel N       ranges fetched at once (8)${placeHelp}`,
  options: {
    ...placeOptions,
    version: { type: "string" },
    model: { type: "string" },
    for: { type: "string" },
    as: { type: "string" },
    force: { type: "boolean" },
    "no-verify": { type: "boolean" },
    parallel: { type: "string" },
  },
  async run(invocation) {
    const { values, positionals, output } = invocation;
    const model = values.text("model");
    const words = model === undefined ? positionals : [model, ...positionals];
    const [wanted, directory = folderOf(wanted, model !== undefined), ...more] = words;
    if (wanted === undefined || directory === "" || more.length > 0) {
      throw new UsageError("name the artifact, and the directory: lossless pull ARTIFACT [DIR]");
    }
    const run = values.text("for");
    const role = values.text("as") ?? "";
    if (run === undefined && role !== "") throw new UsageError("--as needs --for SLUG");
    if (model !== undefined && values.text("version") !== undefined) {
      throw new UsageError("name the version in --model NAME@V, not by --version");
    }
    let flush = (): void => {};
    let phase: TransferProgress["phase"] | undefined;
    using bar = new TransferBar(output);
    const outages = new OutageNotices((sentence) => bar.warning(printable(sentence)));
    const client = clientOf(invocation, patienceMs, outages.service);
    using _interruption = new Interruption(() => {
      flush();
      const kept = phase !== undefined;
      output.failure(
        kept
          ? "stopped; what has arrived is kept; run the same command again to resume"
          : "stopped",
        "interrupted",
      );
    });
    const experiment =
      run === undefined
        ? undefined
        : await namedExperiment(client, run, (one) => one.experiment({ experimentSlug: run }));
    const { artifact, asked } =
      model === undefined
        ? { artifact: wanted, asked: values.text("version") ?? "latest" }
        : await versionOfModel(client, model);
    const version = await versionNamed(client, artifact, asked);
    const pulled = await pull(client, {
      artifact,
      directory,
      version,
      replace: values.flag("force"),
      verify: !values.flag("no-verify"),
      parallel: values.integer("parallel", 8, 1, 64),
      place: placeOptionsOf(invocation),
      retry: { observer: outages.store },
      onRecord: (write) => (flush = write),
      onNotice: (sentence) => bar.note(printable(sentence)),
      onProgress: (progress) => {
        phase = progress.phase;
        bar.show(progress);
      },
    }).catch((error: unknown) => {
      throw error instanceof RequestError && error.code === "not_found"
        ? notFound(error, artifact, asked)
        : error;
    });
    bar[Symbol.dispose]();
    if (experiment !== undefined) {
      const { experimentId } = experiment;
      const named = asked === "latest" || asked.startsWith("@") ? { named: asked } : {};
      const use = { experimentId, artifact, version: pulled.version, role, ...named };
      await client.lineage.recordUse(use);
    }
    output.answer(pulled, () => sentence(pulled));
  },
});

/**
 * Milliseconds to wait for a service that restarts or moves; see outage-notices.ts for an absent
 * one.
 */
const patienceMs = 300_000;

/** The directory that a name gives: its last part, of a model without the version. */
function folderOf(name: string | undefined, isModel: boolean): string {
  const plain = isModel ? name?.replace(/@[^@]*$/, "") : name?.split("/").at(-1);
  return plain ?? "";
}

/** Returns the version of an artifact that a version of a registered model is. */
async function versionOfModel(
  client: LosslessClient,
  named: string,
): Promise<{ artifact: string; asked: string }> {
  const at = named.lastIndexOf("@");
  const model = at <= 0 ? named : named.slice(0, at);
  const word = at <= 0 ? "latest" : named.slice(at + 1);
  const version = word === "latest" || /^\d+$/.test(word) ? word : `@${word}`;
  const { artifact, artifactVersion, source } = await client.models.version(model, version);
  if (artifact === null || artifactVersion === null) {
    throw new CommandError(
      printable(`${named} is no version of an artifact: its files are at ${source}`),
    );
  }
  return { artifact, asked: artifactVersion };
}

/**
 * Turns `--version 1` into 000000000001, as push numbers versions, unless a version is called 1.
 */
async function versionNamed(
  client: LosslessClient,
  artifact: string,
  asked: string,
): Promise<string> {
  const padded = numberedVersion(asked);
  if (padded === undefined || padded === asked) return asked;
  try {
    await client.artifacts.readVersion(artifact, asked);
    return asked;
  } catch (error) {
    if (!hasCode(error, "not_found")) throw error;
    return padded;
  }
}

/** Reworded: the service does not distinguish an artifact without versions from an unknown one. */
function notFound(
  { status, code, requestId, message: own }: RequestError,
  artifact: string,
  version: string,
) {
  // The service's own words say what an alias points to.
  if (version.startsWith("@"))
    return new RequestError(`${artifact}: ${own}`, status, code, requestId);
  const message =
    version === "latest"
      ? `there is no artifact ${artifact} with versions; lossless artifacts lists all artifacts`
      : `${artifact} has no version ${version}; lossless versions ${artifact} lists its versions`;
  return new RequestError(message, status, code, requestId);
}

function sentence({ artifact, version, directory, files, bytes, verified }: PulledVersion): string {
  const what = `${countedText(files, "file")}, ${bytesText(bytes)}`;
  const how = verified ? "checksums right" : "checksums not checked";
  return `${printable(artifact)} ${version} is in ${printable(directory)}: ${what}, ${how}`;
}
