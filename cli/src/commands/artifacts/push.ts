import { readFileSync } from "node:fs";
import { type LosslessClient, LosslessError } from "@lossless/client";
import {
  push,
  type PushedVersion,
  type PushOptions,
  type TransferProgress,
} from "@lossless/client/files";
import { type Invocation, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { Interruption } from "../../interruption.ts";
import { OutageNotices } from "../../outage-notices.ts";
import { bytesText, countedText, printable } from "../../output.ts";
import { placeHelp, placeOptions, placeOptionsOf } from "../../place-options.ts";
import { TransferBar } from "../../transfer-bar.ts";

export const pushFiles = serviceCommand({
  usage: "push DIR|FILE ARTIFACT [options]",
  help: `
Stores the files of a directory (with hidden ones and subdirectories), or one file, as a new version. It takes the
artifact over: an earlier writer stops with "superseded". After an interruption, run the same command again to resume.
Links to files are followed. Links to directories, empty directories and file modes are not stored. The SHA-256 of
every file is stored with the version, and pull compares it.

  --version V        name of the version; versions are ordered by name (a 12-digit number above the latest)
  --meta K=V         an entry of the version's meta, as JSON if V is JSON, otherwise as text; may be repeated
  --meta-file F      the meta as a JSON object
  --alias A          set or move this alias to the new version; may be repeated
  --new              refuse if the artifact has versions already
  --fork-from A      make a new artifact that continues A; without --version the number follows the latest of A
  --take-over        start over although an earlier push of this directory was superseded
  --parallel N       parts sent at once (8)${placeHelp}`,
  options: {
    ...placeOptions,
    version: { type: "string" },
    meta: { type: "string", multiple: true },
    "meta-file": { type: "string" },
    alias: { type: "string", multiple: true },
    new: { type: "boolean" },
    "fork-from": { type: "string" },
    "take-over": { type: "boolean" },
    parallel: { type: "string" },
  },
  async run(invocation) {
    const { output } = invocation;
    const options = optionsOf(invocation);
    let flush = (): void => {};
    let phase: TransferProgress["phase"] | undefined;
    using bar = new TransferBar(output);
    const outages = new OutageNotices((sentence) => bar.warning(printable(sentence)));
    const client = clientOf(invocation, patienceMs, outages.service);
    using _interruption = new Interruption(() => {
      flush();
      const isKept = phase === "sending" || phase === "committing";
      output.failure(
        isKept ? "stopped; the upload is kept; run the same command again to resume" : "stopped",
        "interrupted",
      );
    });
    const pushed = await push(client, {
      ...options,
      retry: { observer: outages.store },
      onRecord: (write) => (flush = write),
      onNotice: (sentence) => bar.note(printable(sentence)),
      onProgress: (progress) => {
        phase = progress.phase;
        bar.show(progress);
      },
    });
    for (const alias of invocation.values.texts("alias"))
      await client.artifacts.setAlias(pushed.artifact, alias, pushed.version);
    bar[Symbol.dispose]();
    const name = output.json ? undefined : await locationName(client, pushed);
    output.answer(pushed, () => sentence(pushed, name));
  },
});

/**
 * Milliseconds to wait for a service that restarts or moves; see outage-notices.ts for an absent
 * one.
 */
const patienceMs = 300_000;

/** Looks up the location's name. Failing is harmless: the version is stored. */
async function locationName(
  client: LosslessClient,
  { placement }: PushedVersion,
): Promise<string | undefined> {
  if (placement === null) return undefined;
  try {
    const { locations } = await client.organization.view({ patience: "none" });
    return locations.find(({ id }) => id === placement.location.id)?.name;
  } catch (error) {
    if (error instanceof LosslessError) return undefined;
    throw error;
  }
}

function optionsOf(invocation: Invocation): PushOptions {
  const { values, positionals } = invocation;
  const [path, artifact, ...more] = positionals;
  if (path === undefined || artifact === undefined || more.length > 0) {
    throw new UsageError("name a directory or file, and the artifact: lossless push DIR ARTIFACT");
  }
  const source = values.text("fork-from");
  if (values.flag("new") && source !== undefined) {
    throw new UsageError("give --new or --fork-from, not both");
  }
  const version = values.text("version");
  return {
    artifact,
    path,
    mode: source !== undefined ? "fork" : values.flag("new") ? "new" : "auto",
    ...(source === undefined ? {} : { source }),
    ...(version === undefined ? {} : { version }),
    meta: metaOf(invocation),
    place: placeOptionsOf(invocation),
    parallel: values.integer("parallel", 8, 1, 64),
    takeOver: values.flag("take-over"),
  };
}

function metaOf({ values }: Invocation): Record<string, unknown> {
  const file = values.text("meta-file");
  const meta = file === undefined ? {} : metaFile(file);
  for (const entry of values.texts("meta")) {
    const equals = entry.indexOf("=");
    if (equals < 1) throw new UsageError(`--meta must be KEY=VALUE, not ${entry}`);
    meta[entry.slice(0, equals)] = valueOf(entry.slice(equals + 1));
  }
  return meta;
}

function metaFile(path: string): Record<string, unknown> {
  let meta: unknown;
  try {
    meta = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`--meta-file ${path} cannot be read: ${(error as Error).message}`);
  }
  if (typeof meta === "object" && meta !== null && !Array.isArray(meta)) return { ...meta };
  throw new UsageError(`--meta-file ${path} must contain one JSON object`);
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function sentence(pushed: PushedVersion, locationName: string | undefined): string {
  const { artifact, version, files, bytes, resumed } = pushed;
  const what = `${countedText(files, "file")}, ${bytesText(bytes)}`;
  const how = resumed ? ", resumed" : "";
  return `${printable(artifact)} ${version}: ${what}${how}${placeText(pushed, locationName)}`;
}

/**
 * Returns `, at bucket (aws/eu)`. A version that no location of the writer's cloud takes goes to
 * the fallback.
 */
function placeText({ placement, warning }: PushedVersion, name: string | undefined): string {
  if (placement === null) return "";
  const { location, match } = placement;
  const place = `${location.cloud}/${location.region}`;
  const where = name === undefined ? `, in ${place}` : `, at ${name} (${place})`;
  const role = match === null ? ", the fallback" : "";
  return printable(`${where}${role}${warning === null ? "" : `. ${warning}`}`);
}
