import type { LoggedFile } from "@lossless/client";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  isDrawable,
  picturePixelsMax,
  pictureOf,
  type Picture,
} from "../../pages/artifact/picture.ts";
import { countText } from "../../parts/words.ts";
import { FilesContext, isShown, type PictureSize, useBytesAddress, useFile } from "../use-file.ts";
import { useNear } from "../use-near.ts";
import { enlargement } from "./enlarged.ts";
import { FileNote, TooLarge } from "./file-note.tsx";
import { toggleFullScreen } from "./full-screen.ts";

interface Props {
  file: LoggedFile;
  /** Its size, if the client knew it: its place is kept until it is there. */
  width?: number | undefined;
  height?: number | undefined;
  label: string;
  isAmongOthers: boolean;
}

/**
 * A picture, read while it is on the screen or nearby. It is let go when it is far: its bytes, and
 * what the browser has decoded. An `img` executes nothing.
 */
export function PictureView({ file, label, isAmongOthers, ...known }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const isNear = useNear(place, 300);
  const { bytes, isCurrent, problem } = useFile(isNear ? file : undefined);
  const picture = useMemo(() => bytes && pictureOf(bytes), [bytes]);
  const drawn = picture !== undefined && isDrawable(picture) ? picture : undefined;
  const address = useBytesAddress(drawn && bytes, drawn?.type);
  const { width, height } = useSize(drawn, known);
  const times = enlargement(width ?? 64, height ?? 64, isAmongOthers);
  return (
    <div
      class="picture"
      ref={place}
      aria-busy={isNear && isShown(file) && !isCurrent}
      data-small={times > 1}
      style={
        width !== undefined && height !== undefined
          ? { "--width": `${width * times}px`, aspectRatio: `${width} / ${height}` }
          : {}
      }
    >
      {!isShown(file) && <TooLarge file={file} what="Pictures" />}
      {problem !== undefined && <p class="count">{problem}</p>}
      {bytes !== undefined && drawn === undefined && isCurrent && (
        <FileNote file={file}>{refusalOf(picture)}</FileNote>
      )}
      {address !== undefined && <Drawn {...{ address, label, place }} />}
    </div>
  );
}

/**
 * The size of a picture; while it is not read, the size that it had, or that the others beside it
 * have, so that nothing moves when it comes.
 */
function useSize(
  drawn: Pick<Picture, "width" | "height"> | undefined,
  known: Pick<Props, "width" | "height">,
): Pick<Props, "width" | "height"> {
  const likely = useContext(FilesContext)!.likely;
  const last = useRef<PictureSize>(undefined);
  const { width, height } = drawn ?? {};
  useEffect(() => {
    if (width === undefined || height === undefined) return;
    last.current = { width, height };
    if (likely !== undefined) likely.value = last.current;
  }, [width, height, likely]);
  if (drawn !== undefined) return { width, height };
  if (known.width !== undefined) return known;
  return last.current ?? likely?.value ?? known;
}

function refusalOf(picture: Picture | undefined): string {
  if (picture === undefined) return "Only PNG, JPEG, GIF and WebP pictures can be shown here.";
  const { width, height } = picture;
  if (width === undefined) return "The size of this picture is unknown.";
  return `This picture has ${width} × ${height!} pixels. Pictures are shown up to ${countText(picturePixelsMax)}.`;
}

function Drawn({
  address,
  label,
  place,
}: {
  address: string;
  label: string;
  place: { current: HTMLDivElement | null };
}) {
  const [broken, setBroken] = useState<string>();
  if (broken === address) return <p class="count">The browser cannot show this picture.</p>;
  return (
    <button
      type="button"
      title="Full screen"
      aria-label={`${label}, full screen`}
      onClick={() => toggleFullScreen(place)}
    >
      <img src={address} alt="" decoding="async" onError={() => setBroken(address)} />
    </button>
  );
}
