import type { ArtifactReply, PendingUpload } from "@lossless/client";
import { bytesText, countedText, countText, durationText, timeText } from "../../parts/words.ts";

/** What is being written: nothing of it can be seen before its commit. */
export function Uploads({ artifact: { uploads, epoch } }: { artifact: ArtifactReply }) {
  if (uploads.length === 0) return null;
  return (
    <section class="uploads" aria-label="Uploads under way">
      <h2>
        {uploads.length === 1 ? "An upload is" : `${countText(uploads.length)} uploads are`} under
        way
      </h2>
      <ul>
        {uploads.map((upload) => (
          <Upload key={upload.upload} upload={upload} isCurrent={upload.epoch === epoch} />
        ))}
      </ul>
    </section>
  );
}

const meanings = {
  starting: "the store is being asked for places",
  pending: "its writer sends files, or was interrupted",
  completing: "it is being committed",
};

function Upload({ upload, isCurrent }: { upload: PendingUpload; isCurrent: boolean }) {
  const { version, createdAtMs, expiresAtMs, state, files, bytes, location, writer } = upload;
  const by = writer.source === "" ? `${writer.cloud} ${writer.region}`.trim() : writer.source;
  return (
    <li>
      <strong>{version}</strong>
      <span>
        {countedText(files, "file")}, {bytesText(bytes)} to {location.name}
      </span>
      <span>
        begun{" "}
        <time dateTime={new Date(createdAtMs).toISOString()} title={timeText(createdAtMs)}>
          {durationText(Date.now() - createdAtMs)} ago
        </time>
        {by !== "" && ` by ${by}`}
      </span>
      <span>
        {isCurrent
          ? meanings[state]
          : `it can never be committed: it has epoch ${countText(upload.epoch)}, and another writer has opened the artifact since`}
      </span>
      <span class="count">
        the same push again goes on with it; removed at {timeText(expiresAtMs)} unless it is
        committed
      </span>
      {upload.warning !== null && <span class="warning">{upload.warning}</span>}
    </li>
  );
}
