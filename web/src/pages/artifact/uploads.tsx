import type { ArtifactReply, PendingUpload, SentBytesReply } from "@lossless/client";
import { useRead } from "../../parts/use-read.ts";
import { bytesText, countedText, countText, durationText, timeText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";

interface Props {
  artifact: ArtifactReply;
  service: Service;
}

/** Pending uploads, whose content cannot be seen before the commit. */
export function Uploads({ artifact: { artifact, uploads, epoch }, service }: Props) {
  if (uploads.length === 0) return null;
  return (
    <section class="uploads" aria-label="Uploads in progress">
      <h2>{countedText(uploads.length, "upload")} in progress</h2>
      <ul>
        {uploads.map((upload) => (
          <Upload
            key={upload.upload}
            {...{ upload, artifact, service }}
            isCurrent={upload.epoch === epoch}
          />
        ))}
      </ul>
    </section>
  );
}

const meanings = {
  starting: "preparing: waiting for the store",
  pending: "uploading, or interrupted",
  completing: "committing",
};

interface UploadProps {
  upload: PendingUpload;
  artifact: string;
  isCurrent: boolean;
  service: Service;
}

function Upload({ upload, artifact, isCurrent, service }: UploadProps) {
  const { version, createdAtMs, expiresAtMs, state, files, bytes, location, writer } = upload;
  const by = writer.source === "" ? `${writer.cloud} ${writer.region}`.trim() : writer.source;
  return (
    <li>
      <strong>{version}</strong>
      <span>
        {countedText(files, "file")}, {bytesText(bytes)} to {location.name}
      </span>
      {isCurrent && <UploadProgress {...{ upload, artifact, service }} />}
      <span>
        started{" "}
        <time dateTime={new Date(createdAtMs).toISOString()} title={timeText(createdAtMs)}>
          {durationText(Date.now() - createdAtMs)} ago
        </time>
        {by !== "" && ` by ${by}`}
      </span>
      <span>
        {isCurrent
          ? meanings[state]
          : `cannot be committed: another writer has opened the artifact since this upload started (epoch ${countText(upload.epoch)})`}
      </span>
      <span class="count">
        {isCurrent && "Run the same push again to resume it. "}It expires at {timeText(expiresAtMs)}{" "}
        unless it is committed.
      </span>
      {upload.warning !== null && <span class="warning">{upload.warning}</span>}
    </li>
  );
}

/** Milliseconds between questions to the store about what has arrived. */
const lookEveryMs = 3_000;

/** Progress of an upload, read while the page is visible; empty while the store does not say. */
function UploadProgress({ upload, artifact, service }: Omit<UploadProps, "isCurrent">) {
  const { found } = useRead(
    (stopped) => service.client.views.sentBytes({ artifact, upload: upload.upload }, stopped),
    [artifact, upload.upload],
    lookEveryMs,
  );
  if (found === undefined) return null;
  return (
    <span class="sent">
      <progress
        max={Math.max(1, found.bytes)}
        value={found.sentBytes}
        aria-label={`Upload progress of ${upload.version}`}
      />{" "}
      {sentText(found, upload.files)}
    </span>
  );
}

function sentText({ files, filesSent, bytes, sentBytes }: SentBytesReply, total: number): string {
  const of = files < total ? ` of its ${countText(files)} largest files` : "";
  const complete =
    total === 1 ? "" : `, ${countText(filesSent)} of ${countedText(files, "file")} complete`;
  return `${bytesText(sentBytes)} of ${bytesText(bytes)}${of} uploaded${complete}`;
}
