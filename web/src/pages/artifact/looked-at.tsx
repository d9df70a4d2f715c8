import { useState } from "preact/hooks";
import { Copy } from "../../parts/copy.tsx";
import { useRead } from "../../parts/use-read.ts";
import { bytesText, countText, messageOf } from "../../parts/words.ts";
import { download, type FileSource } from "./file-source.ts";
import type { Look } from "./look.ts";
import { isDrawable, picturePixelsMax } from "./picture.ts";
import { readLook, type ReadLook } from "./read-look.ts";

interface Props {
  source: FileSource;
  file: string;
  sizeBytes: number;
  /** Undefined: not known yet; null: there is none. */
  checksum: string | undefined | null;
  onClose: () => void;
}

/** A file with its size and checksum, a download button, and a preview. */
export function LookedAt({ source, file, sizeBytes, checksum, onClose }: Props) {
  const [problem, setProblem] = useState<string>();
  const { found, problem: lookProblem } = useRead(
    (stopped) => readLook(source, file, sizeBytes, stopped),
    [source.key, file, sizeBytes],
  );
  const save = () => {
    download(source, file).then(
      () => setProblem(undefined),
      (error: unknown) => setProblem(messageOf(error)),
    );
  };
  return (
    <section class="looked-at" aria-label={`File ${file}`}>
      <header>
        <h3>{file}</h3>
        <button type="button" onClick={onClose} aria-label="Close the file">
          ✕
        </button>
      </header>
      <p class="facts">
        <span title={`${countText(sizeBytes)} bytes`}>{bytesText(sizeBytes)}</span>
        <button type="button" onClick={save}>
          download
        </button>
        {checksum === undefined && <span>checksum unknown</span>}
        {typeof checksum === "string" && (
          <span class="checksum">
            SHA-256 <code title={checksum}>{checksum.slice(0, 16)}…</code>{" "}
            <Copy text={checksum} label="copy" />
          </span>
        )}
      </p>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {lookProblem !== undefined && <p role="alert">This file cannot be shown: {lookProblem}</p>}
      {found === undefined ? (
        lookProblem === undefined && <p class="waiting">Loading the file …</p>
      ) : (
        <Preview read={found} file={file} sizeBytes={sizeBytes} />
      )}
    </section>
  );
}

function Preview({ read, file, sizeBytes }: { read: ReadLook; file: string; sizeBytes: number }) {
  const { look, shownBytes } = read;
  const cut =
    shownBytes < sizeBytes
      ? `Showing the first ${bytesText(shownBytes)} of ${bytesText(sizeBytes)}. Download the file for the rest.`
      : undefined;
  if (sizeBytes === 0) return <p class="count">This file is empty.</p>;
  if (look.kind === "picture") return <PicturePreview read={read} look={look} file={file} />;
  return (
    <>
      {look.kind === "bytes" && <p class="count">This file is not text. Its first bytes:</p>}
      {look.kind !== "bytes" && cut !== undefined && <p class="count">{cut}</p>}
      {look.kind === "rows" ? <Rows look={look} /> : <pre tabIndex={0}>{look.text}</pre>}
    </>
  );
}

interface DrawnProps {
  read: ReadLook;
  look: Look & { kind: "picture" };
  file: string;
}

/** An `img` executes nothing, and its address holds the bytes themselves. */
function PicturePreview({ read: { address }, look, file }: DrawnProps) {
  const [isBroken, setIsBroken] = useState(false);
  const { width, height } = look;
  if (!isDrawable(look)) {
    const size = width === undefined ? "is unknown" : `is ${width} × ${height} pixels`;
    return (
      <p class="count">
        The size of this picture {size}. Pictures are shown up to {countText(picturePixelsMax)}{" "}
        pixels.
      </p>
    );
  }
  if (address === undefined)
    return <p class="count">Pictures are shown up to 4 MB. Download the file to see it.</p>;
  if (isBroken) return <p class="count">The browser cannot show this picture.</p>;
  return (
    <figure>
      <img src={address} alt={file} onError={() => setIsBroken(true)} />
      <figcaption class="count">
        {width} × {height} pixels
      </figcaption>
    </figure>
  );
}

/** Characters shown of a cell: a file may have any text in one. */
const cellCharactersMax = 200;

function Rows({ look: { rows, isCut } }: { look: Look & { kind: "rows" } }) {
  const [head, ...body] = rows;
  const shown = (cell: string) =>
    cell.length > cellCharactersMax ? `${cell.slice(0, cellCharactersMax)}…` : cell;
  return (
    <>
      {isCut && (
        <p class="count">
          Showing the first {countText(rows.length)} rows, up to 50 columns of each. Download the
          file for the rest.
        </p>
      )}
      <div class="csv" tabIndex={0} role="region" aria-label="Rows">
        <table>
          <thead>
            <tr>
              {head.map((cell, at) => (
                <th key={at} scope="col">
                  {shown(cell)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {body.map((cells, at) => (
              <tr key={at}>
                {cells.map((cell, place) => (
                  <td key={place}>{shown(cell)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
