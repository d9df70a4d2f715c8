import type { LoggedFile } from "@lossless/client";
import { useMemo, useRef } from "preact/hooks";
import { bytesText } from "../../parts/words.ts";
import { clientPlot } from "../plots/client-plot.ts";
import { type Drawing, isObject, NotDrawn } from "../plots/drawing.ts";
import { PlotFigure } from "../plots/plot-figure.tsx";
import { plotlyPlot } from "../plots/plotly-plot.ts";
import { tableOf } from "../plots/table-json.ts";
import { isShown } from "../use-file.ts";
import { useNear } from "../use-near.ts";
import { FileNote, TooLarge } from "./file-note.tsx";
import { Rows } from "./table.tsx";
import { useJson } from "./use-json.ts";

/** Characters shown of a figure that is not drawn. */
const charactersMax = 20_000;

interface Props {
  kind: "plot" | "plotly";
  file: LoggedFile;
  label: string;
}

/** A plot or a figure of Plotly, drawn by us; what we do not draw is a table, or the text of it. */
export function PlotView({ kind, file, label }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const isNear = useNear(place, 300);
  const { json, text, isCurrent, problem } = useJson(isNear ? file : undefined);
  const drawn = useMemo(() => (json === undefined ? undefined : drawnOf(json, kind)), [json, kind]);
  return (
    <div class="media-plot" ref={place} aria-busy={isNear && isShown(file) && !isCurrent}>
      {!isShown(file) && <TooLarge file={file} what="Plots" />}
      {problem !== undefined && <FileNote file={file}>{problem}</FileNote>}
      {drawn?.drawing !== undefined && (
        <>
          <PlotFigure drawing={drawn.drawing} label={label} />
          {kind === "plot" && <Numbers {...{ json, file, label }} />}
        </>
      )}
      {drawn?.reason !== undefined && (
        <>
          <p class="count">{drawn.reason}</p>
          <NotDrawnAs {...{ json, file, label }} text={text ?? ""} />
        </>
      )}
    </div>
  );
}

function drawnOf(json: unknown, kind: Props["kind"]): { drawing?: Drawing; reason?: string } {
  try {
    return { drawing: kind === "plot" ? clientPlot(json) : plotlyPlot(json) };
  } catch (error) {
    if (!(error instanceof NotDrawn)) throw error;
    return { reason: error.message };
  }
}

interface JsonProps {
  json: unknown;
  file: LoggedFile;
  label: string;
}

/** The numbers of a plot as a table. */
function Numbers({ json, file, label }: JsonProps) {
  const table = tableOf(isObject(json) ? json["table"] : undefined);
  if (table === undefined) return null;
  return (
    <details>
      <summary>numbers</summary>
      <Rows {...{ table, file, label }} />
    </details>
  );
}

function NotDrawnAs({ json, file, label, text }: JsonProps & { text: string }) {
  const table = tableOf(isObject(json) ? json["table"] : undefined);
  if (table !== undefined) return <Rows {...{ table, file, label }} />;
  const rest = text.length - charactersMax;
  return (
    <>
      <pre tabIndex={0} role="region" aria-label={label}>
        {text.slice(0, charactersMax)}
      </pre>
      {rest > 0 && (
        <FileNote
          file={file}
        >{`Showing the first ${bytesText(charactersMax)} of ${bytesText(text.length)}.`}</FileNote>
      )}
    </>
  );
}
