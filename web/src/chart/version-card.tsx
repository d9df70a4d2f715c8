import { artifactAddress } from "../parts/artifact-address.ts";
import { Copy } from "../parts/copy.tsx";
import { bytesText, countedText, countText } from "../parts/words.ts";
import type { Mark, SavedVersion } from "./lane-marks.ts";

/** More would cover the chart; the artifacts' tab has all. */
const shownMax = 5;

interface Props {
  /** Those in one place of the axis. */
  versions: readonly SavedVersion[];
  onClose: () => void;
}

/** Below the lane: what was saved there, how it is fetched, and its page. */
export function VersionCard({ versions, onClose }: Props) {
  return (
    <div
      class="version-card"
      role="group"
      aria-label="Versions saved here"
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <ul>
        {versions.slice(0, shownMax).map((saved) => (
          <li key={`${saved.artifact} ${saved.version}`}>
            <span aria-hidden="true">◆</span>
            <strong>{saved.version}</strong>
            <span>{saved.artifact}</span>
            <Copy text={saved.command} label={versions.length === 1 ? "copy" : "copy pull"} />
            <a href={artifactAddress(saved.artifact, { version: saved.version })}>open</a>
            {saved.bytes !== undefined && (
              <span class="count">
                {bytesText(saved.bytes)} in {countedText(saved.files ?? 0, "file")}, epoch{" "}
                {countText(saved.epoch ?? 0)}
              </span>
            )}
            {versions.length === 1 && <code>{saved.command}</code>}
          </li>
        ))}
        {versions.length > shownMax && (
          <li class="count">
            and {countText(versions.length - shownMax)} more, nearer to each other than the chart is
            wide: zoom in, or look at the artifacts
          </li>
        )}
      </ul>
      <button type="button" aria-label="Close" onClick={onClose}>
        ✕
      </button>
    </div>
  );
}

/** The versions among marks, newest first. */
export function savedIn(marks: readonly Mark[]): SavedVersion[] {
  return marks.flatMap(({ saved }) => saved ?? []);
}
