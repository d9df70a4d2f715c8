import type { LoggedKind } from "@lossless/protocol";
import { countText } from "../../parts/words.ts";
import { type MediaItem, type MediaSeries, metadataText } from "../logged-series.ts";
import { HtmlView } from "./html.tsx";
import { PictureView } from "./picture.tsx";
import { PlayerView } from "./player.tsx";
import { PlotView } from "./plot.tsx";
import { TableView } from "./table.tsx";

interface Props {
  series: Pick<MediaSeries, "kind" | "name">;
  item: MediaItem;
  /** How many are at its step. */
  of: number;
}

/** A picture, a table and the like, with its caption. */
export function Item({ series: { kind, name }, item, of }: Props) {
  const { index, caption, metadata } = item;
  const own = metadataText(metadata);
  const place = of > 1 && index !== undefined ? `${countText(index + 1)} of ${countText(of)}` : "";
  // The caption of a plot is its title, which is drawn.
  const words = [kind === "plot" ? "" : caption, own].filter(Boolean).join(", ");
  const label = [name, place, words, `step ${countText(item.step)}`].filter(Boolean).join(", ");
  return (
    <figure class="item" data-kind={kind}>
      <Content kind={kind} item={item} label={label} isAmongOthers={of > 1} />
      {words !== "" && <figcaption>{words}</figcaption>}
    </figure>
  );
}

interface ContentProps {
  kind: LoggedKind;
  item: MediaItem;
  label: string;
  isAmongOthers: boolean;
}

function Content({ kind, item, label, isAmongOthers }: ContentProps) {
  const { file, width, height } = item;
  if (file === undefined) return <p class="count">It has no file.</p>;
  // Frames that a script gave as an array are an animated picture.
  const isPicture = kind === "image" || (file.mediaType ?? "").startsWith("image/");
  if (isPicture) return <PictureView {...{ file, width, height, label, isAmongOthers }} />;
  if (kind === "table") return <TableView {...{ file, label }} />;
  if (kind === "plot" || kind === "plotly") return <PlotView {...{ kind, file, label }} />;
  if (kind === "html") return <HtmlView {...{ file, label }} />;
  return <PlayerView kind={kind === "audio" ? "audio" : "video"} file={file} label={label} />;
}
