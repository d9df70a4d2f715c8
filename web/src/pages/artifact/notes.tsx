import type { ListedNote } from "@lossless/client";
import { useState } from "preact/hooks";
import { saveFile } from "../../parts/save-file.ts";
import { bytesText, durationText, messageOf, timeText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";

interface Props {
  artifact: string;
  notes: readonly ListedNote[];
  service: Service;
}

/** Keeps browsers from displaying a note, whatever it contains. */
const type = "application/octet-stream";

/** Notes: small files beside the versions. */
export function Notes({ artifact, notes, service }: Props) {
  const [problem, setProblem] = useState<string>();
  if (notes.length === 0) return null;
  const save = async (note: string) => {
    try {
      const bytes = await service.client.artifacts.readNote(artifact, note);
      saveFile(note, new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <section class="notes" aria-label="Notes">
      <h2>Notes</h2>
      <ul>
        {notes.map(({ note, bytes, changedAtMs }) => (
          <li key={note}>
            <strong>{note}</strong>
            <span class="count">
              {bytesText(bytes)}, written{" "}
              <time dateTime={new Date(changedAtMs).toISOString()} title={timeText(changedAtMs)}>
                {durationText(Date.now() - changedAtMs)} ago
              </time>
            </span>
            <button type="button" onClick={() => void save(note)} aria-label={`Save ${note}`}>
              save
            </button>
          </li>
        ))}
      </ul>
      {problem !== undefined && <p role="alert">{problem}</p>}
    </section>
  );
}
