import { type Command, type Invocation, onlyPositional } from "../command.ts";
import { clientOf, connectionHelp, connectionOptions } from "../connection.ts";
import { bytesText, countText, printable, table } from "../output.ts";

export const versions: Command = {
  usage: "versions ARTIFACT",
  help: `
The committed versions of an artifact in the order of their names, the latest at the end. --json has their files
and meta.
${connectionHelp}`,
  options: connectionOptions,
  run: runVersions,
};

async function runVersions(invocation: Invocation): Promise<number> {
  const artifact = onlyPositional(invocation, "artifact");
  const found = await Array.fromAsync(clientOf(invocation).artifacts.versions(artifact));
  if (found.length === 0)
    invocation.output.note(
      `${printable(artifact)} has no versions; lossless artifacts lists what has`,
    );
  invocation.output.answer(found, () =>
    table(
      ["VERSION", "COMMITTED", "FILES", "BYTES", "CLOUD", "REGION", "SOURCE"],
      found.map(({ version, committed, files, bytes, location, source }) => [
        version,
        committed,
        countText(files.length),
        bytesText(bytes),
        location.cloud,
        location.region,
        source ?? "-",
      ]),
    ),
  );
  return 0;
}
