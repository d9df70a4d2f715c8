import type { LoggedFile } from "@lossless/client";
import { useRef, useState } from "preact/hooks";
import { placed } from "../../base-path.ts";
import { isShown } from "../use-file.ts";
import { useNear } from "../use-near.ts";
import { FileNote, TooLarge } from "./file-note.tsx";

/**
 * A page that the run has logged, in a frame with an origin of its own: twice, by this attribute
 * and by the policy with which the service sends it. Its scripts run only when somebody wants that.
 */
export function HtmlView({ file, label }: { file: LoggedFile; label: string }) {
  const place = useRef<HTMLDivElement>(null);
  const isNear = useNear(place, 300);
  const [runs, setRuns] = useState<string>();
  const address = frameAddress(file);
  if (address === undefined)
    return <FileNote file={file}>This page is not of an artifact.</FileNote>;
  if (!isShown(file)) return <TooLarge file={file} what="Pages" />;
  const isRunning = runs === address;
  return (
    <div class="html" ref={place}>
      {isNear && (
        <iframe
          // An attribute that changes later does not count for the document that is there.
          key={`${address} ${isRunning}`}
          title={label}
          sandbox={isRunning ? "allow-scripts" : ""}
          referrerpolicy="no-referrer"
          src={isRunning ? `${address}&scripts=1` : address}
        />
      )}
      <p class="count">
        {isRunning ? "Its scripts run, in this frame alone." : "Shown without its scripts."}{" "}
        <button type="button" onClick={() => setRuns(isRunning ? undefined : address)}>
          {isRunning ? "stop" : "run scripts"}
        </button>
      </p>
    </div>
  );
}

function frameAddress({ artifact, version, path }: LoggedFile): string | undefined {
  if (artifact === undefined || version === undefined) return undefined;
  const query = new URLSearchParams({ artifact, version, file: path });
  return placed(`/api/views/v1/file-frame?${query.toString()}`);
}
