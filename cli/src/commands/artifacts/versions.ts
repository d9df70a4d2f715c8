import { hasCode, type LosslessClient, type PendingUpload } from "@lossless/client";
import { type Invocation, onlyPositional } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { bytesText, countText, printable, table, timeText } from "../../output.ts";

export const versions = serviceCommand({
  usage: "versions ARTIFACT",
  help: `
Lists the committed versions of an artifact by name, the latest last. --json has their files and meta.

  --uploads          list pending uploads instead, newest first, with the bytes stored so far (of an upload of many
                     files, those of its largest files)
`,
  options: { uploads: { type: "boolean" } },
  async run(invocation) {
    const artifact = onlyPositional(invocation, "artifact");
    const client = clientOf(invocation);
    if (invocation.values.flag("uploads")) return showUploads(client, artifact, invocation);
    const found = await Array.fromAsync(client.artifacts.versions(artifact));
    if (found.length === 0)
      invocation.output.note(
        `${printable(artifact)} has no versions; lossless artifacts lists artifacts with versions, --uploads pending uploads`,
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
  },
});

async function showUploads(
  client: LosslessClient,
  artifact: string,
  { output }: Invocation,
): Promise<void> {
  const { uploads } = await client.views.artifact(artifact, { limit: 1 });
  const shown = await Promise.all(
    uploads.map(async (upload) => ({ ...upload, sent: await sentOf(client, artifact, upload) })),
  );
  if (shown.length === 0) output.note(`${printable(artifact)} has no pending uploads`);
  output.answer(shown, () =>
    table(
      ["VERSION", "STATE", "FILES", "BYTES", "SENT", "BEGUN", "UNTIL", "SOURCE"],
      shown.map((upload) => [
        upload.version,
        upload.state,
        countText(upload.files),
        bytesText(upload.bytes),
        upload.sent === null
          ? "-"
          : `${bytesText(upload.sent.sentBytes)} of ${bytesText(upload.sent.bytes)}`,
        timeText(upload.createdAtMs),
        timeText(upload.expiresAtMs),
        upload.writer.source || "-",
      ]),
    ),
  );
}

/** null when unknown: the upload has ended since, or its store does not answer. */
async function sentOf(client: LosslessClient, artifact: string, { upload }: PendingUpload) {
  try {
    return await client.views.sentBytes({ artifact, upload });
  } catch (error) {
    if (hasCode(error, "not_found") || hasCode(error, "upstream")) return null;
    throw error;
  }
}
