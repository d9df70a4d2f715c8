import { useEffect, useMemo, useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { fileName, saveFile } from "../../parts/save-file.ts";
import { messageOf } from "../../parts/words.ts";
import { lightColours } from "./light-colours.ts";
import type { PictureFrame } from "./picture-frame.ts";
import { fonts, sizeOf, sizeProblem, type PictureStyle } from "./picture-style.ts";
import { pngOf } from "./png.ts";
import { StyleFields, WordFields, type PictureWords } from "./style-fields.tsx";

export interface PictureProps {
  /** Name of what is drawn, and of the file. */
  name: string;
  style: PictureStyle;
  change: (part: Partial<PictureStyle>) => void;
  /** Labels of the axes, unless others are written; undefined: the axes have names of their own. */
  labels: PictureFrame["labels"] | undefined;
  /** Names of the lines. */
  names: readonly string[];
  /** Whether there are signs of what happened. */
  hasSigns: boolean;
  /** Undefined: the data is being read. */
  draw: ((frame: PictureFrame) => string) | undefined;
  problem: string | undefined;
  onClose: () => void;
}

/** A picture for a paper: chosen sizes and words, a preview, and files. */
export function PictureDialog(props: PictureProps) {
  const { name, style, change, names, hasSigns, draw, onClose } = props;
  const [words, setWords] = useState<PictureWords>({ title: "", names: {} });
  const labels = props.labels && { ...props.labels, ...words.labels };
  const problem = sizeProblem(style) ?? props.problem;
  const svg = useMemo(() => {
    if (draw === undefined || sizeProblem(style) !== undefined) return undefined;
    return draw(frameOf(style, { ...words, labels }, names));
  }, [draw, JSON.stringify([style, words, labels, names])]);
  return (
    <Dialog title={`Picture of ${name}`} onClose={onClose}>
      <div class="picture-form">
        <Preview svg={svg} name={name} />
        <div class="fields">
          <WordFields {...{ words, labels, names }} onWords={setWords} />
          <StyleFields {...{ style, change, hasSigns }} hasLegend={names.some((each) => each)} />
        </div>
      </div>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <Files {...{ svg, name, style }} />
    </Dialog>
  );
}

/** The picture as a file has it, on white in any theme. */
function Preview({ svg, name }: { svg: string | undefined; name: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (svg === undefined) return;
    const made = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [svg]);
  return (
    <div class="paper">
      {address === undefined ? "…" : <img src={address} alt={`Preview of ${name}`} />}
    </div>
  );
}

function Files({
  svg,
  name,
  style,
}: { svg: string | undefined } & Pick<PictureProps, "name" | "style">) {
  const [said, setSaid] = useState("");
  const { pixels, dpi } = sizeOf(style);
  const tell = (done: Promise<string>) =>
    void done.then(setSaid, (error: unknown) => setSaid(messageOf(error)));
  const png = () => pngOf(svg!, pixels, dpi);
  const savePng = async () => {
    saveFile(fileName(name, "png"), await png());
    return `Saved ${pixels.width.toLocaleString("en")} × ${pixels.height.toLocaleString("en")} pixels.`;
  };
  const saveSvg = () => {
    saveFile(fileName(name, "svg"), new Blob([svg!], { type: "image/svg+xml" }));
    setSaid("Saved the SVG.");
  };
  const isWaiting = svg === undefined;
  return (
    <div class="actions">
      <button type="button" class="strong" disabled={isWaiting} onClick={() => tell(savePng())}>
        Save PNG
      </button>
      <button type="button" class="strong" disabled={isWaiting} onClick={saveSvg}>
        Save SVG
      </button>
      <button type="button" disabled={isWaiting} onClick={() => tell(imageCopied(png()))}>
        Copy as image
      </button>
      <span class="count" role="status">
        {said ||
          `PNG: ${pixels.width.toLocaleString("en")} × ${pixels.height.toLocaleString("en")} pixels`}
      </span>
    </div>
  );
}

/** Copies a PNG; browsers let pages do so only over https, or on the same machine. */
async function imageCopied(png: Promise<Blob>): Promise<string> {
  // The promise is given at once: some browsers allow it only right after the click.
  if (!window.isSecureContext || !("ClipboardItem" in window))
    return "This browser copies images only over https. Save the PNG instead.";
  await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
  return "Copied.";
}

type Worded = Omit<PictureWords, "labels"> & { labels: PictureFrame["labels"] | undefined };

function frameOf(style: PictureStyle, words: Worded, names: readonly string[]): PictureFrame {
  const { width, height } = sizeOf(style);
  const { unit, legend, hasGrid, hasSigns, linePoints, fontPoints } = style;
  const fontFamily = fonts[style.font].family;
  const pixelsPerPoint = 96 / 72;
  return {
    width,
    height,
    lengths: { width: `${style.width}${unit}`, height: `${style.height}${unit}` },
    fontFamily,
    fontSize: fontPoints * pixelsPerPoint,
    lineWidth: linePoints * pixelsPerPoint,
    title: words.title,
    labels: words.labels ?? { x: "", y: "" },
    names: names.map((name) => words.names[name] ?? name),
    legend,
    hasGrid,
    hasSigns,
    colours: lightColours(),
    widthOf: measured(fontFamily),
  };
}

/** Measures texts in the font that this browser has for the family. */
function measured(family: string): PictureFrame["widthOf"] {
  const context = document.createElement("canvas").getContext("2d")!;
  return (text, size) => {
    context.font = `${size}px ${family}`;
    return context.measureText(text).width;
  };
}
