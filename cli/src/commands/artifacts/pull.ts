import { hasCode, type LosslessClient, RequestError } from "@lossless/client";
import {
  numberedVersion,
  pull,
  type PulledVersion,
  type TransferProgress,
} from "@lossless/client/files";
import { UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { Interruption } from "../../interruption.ts";
import { OutageNotices } from "../../outage-notices.ts";
import { bytesText, countedText, printable } from "../../output.ts";
import { placeHelp, placeOptions, placeOptionsOf } from "../../place-options.ts";
import { TransferBar } from "../../transfer-bar.ts";

export const pullFiles = serviceCommand({
  usage: "pull ARTIFACT [DIR] [options]",
  help: `
Fetches a version into a directory, by default named after the last part of the artifact's path. Files arrive in a
hidden directory beside it, which is renamed when every file is complete, with the right size and SHA-256. After an
interruption, run the same command again to resume.

  --version V        name of the version (latest)
  --force            replace DIR, as a whole, when it exists
  --no-verify        do not compare checksums
  --parallel N       ranges fetched at once (8)${placeHelp}`,
  options: {
    ...placeOptions,
    version: { type: "string" },
    force: { type: "boolean" },
    "no-verify": { type: "boolean" },
    parallel: { type: "string" },
  },
  async run(invocation) {
    const { values, positionals, output } = invocation;
    const [artifact, directory = artifact?.split("/").at(-1) ?? "", ...more] = positionals;
    if (artifact === undefined || directory === "" || more.length > 0) {
      throw new UsageError("name the artifact, and the directory: lossless pull ARTIFACT [DIR]");
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
    const asked = values.text("version") ?? "latest";
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
    output.answer(pulled, () => sentence(pulled));
  },
});

/**
 * Milliseconds to wait for a service that restarts or moves; see outage-notices.ts for an absent
 * one.
 */
const patienceMs = 300_000;

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
function notFound({ status, code, requestId }: RequestError, artifact: string, version: string) {
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
