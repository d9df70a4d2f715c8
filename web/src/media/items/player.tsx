import type { LoggedFile } from "@lossless/client";
import { useContext, useEffect, useState } from "preact/hooks";
import { bytesText, messageOf } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import { FilesContext, shownFileBytesMax, sourceOf } from "../use-file.ts";
import { Download } from "./file-note.tsx";

/** Bytes of a file that is played though its store is on another host: a client logs no more. */
const playedBytesMax = 32 * 1_048_576;

interface Props {
  kind: "audio" | "video";
  file: LoggedFile;
  label: string;
}

/**
 * Sound or a film, read when somebody plays it. From this host the browser reads the ranges that it
 * needs, by a signed address. Pages load nothing from other hosts, so a file there comes through
 * the service, and is played once it is complete.
 */
export function PlayerView({ kind, file, label }: Props) {
  const { service } = useContext(FilesContext)!;
  const [played, setPlayed] = useState<{ address: string; isSigned: boolean }>();
  const [isReading, setIsReading] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => () => letGo(played), [played]);
  useEffect(() => setPlayed(undefined), [file.artifact, file.version, file.path]);
  const play = async (isSigned: boolean) => {
    setIsReading(true);
    setProblem(undefined);
    try {
      setPlayed(await playedAddress(service, file, isSigned));
    } catch (error) {
      setProblem(messageOf(error));
    }
    setIsReading(false);
  };
  const fail = () => {
    if (played?.isSigned === false) return setProblem("The browser cannot play this file.");
    // Some browsers play no file without a type, which no store of ours gives it.
    void play(false);
  };
  const size = file.bytes === null ? "" : ` (${bytesText(file.bytes)})`;
  return (
    <div class="player">
      {played === undefined ? (
        <button
          type="button"
          disabled={isReading}
          aria-label={`Play ${label}${size}`}
          onClick={() => void play((file.bytes ?? Infinity) > shownFileBytesMax)}
        >
          <span aria-hidden="true">▶</span> {isReading ? "Loading …" : `play${size}`}
        </button>
      ) : kind === "audio" ? (
        <audio controls autoPlay src={played.address} aria-label={label} onError={fail} />
      ) : (
        <video controls autoPlay src={played.address} aria-label={label} onError={fail} />
      )}
      {problem !== undefined && (
        <p role="alert">
          {problem} <Download file={file} />
        </p>
      )}
    </div>
  );
}

function letGo(played: { address: string; isSigned: boolean } | undefined): void {
  if (played?.isSigned === false) URL.revokeObjectURL(played.address);
}

async function playedAddress(service: Service, file: LoggedFile, isSigned: boolean) {
  const source = sourceOf(service, file);
  if (isSigned) {
    const { url } = await source.address(file.path);
    if (new URL(url).origin === window.location.origin) return { address: url, isSigned: true };
  }
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const never = new AbortController().signal;
  for (let offset = 0; file.bytes === null || offset < file.bytes;) {
    if (offset >= playedBytesMax)
      throw new Error(`Files in other stores are played up to ${bytesText(playedBytesMax)}.`);
    const part = await source.part(file.path, { offset }, never);
    parts.push(part as Uint8Array<ArrayBuffer>);
    offset += part.length;
    if (part.length < shownFileBytesMax) break;
  }
  // The name alone says the type. No page is made of these bytes, whatever it says.
  const type = /^(audio|video)\/[\w.+-]+$/.test(file.mediaType ?? "") ? file.mediaType! : "";
  return { address: URL.createObjectURL(new Blob(parts, { type })), isSigned: false };
}
