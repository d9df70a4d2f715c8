import type { ConsoleLine } from "@lossless/client";
import { countText } from "../../../parts/words.ts";
import type { Times } from "./console-view.ts";
import { exactTime, lineTime, streamWords } from "./line-words.ts";
import { hitsIn, piecesOf } from "./pieces.ts";
import { lookOf } from "./sgr.ts";

/** Characters of a line that are drawn until somebody wants the rest. */
const shownMax = 2_000;

/** How lines are drawn. */
export interface LineLook {
  times: Times;
  /** Time of the beginning. */
  beganMs: number;
  /** Short names of sources, by number; undefined: there is one, or each has its column. */
  sources: ReadonlyMap<number, string> | undefined;
}

interface Props {
  line: ConsoleLine;
  look: LineLook;
  isChosen: boolean;
  /** Whether all of a long line is drawn. */
  isWhole: boolean;
  onWhole: () => void;
  onChoose: (isRange: boolean) => void;
  /** Marks its matches. */
  expression: RegExp | undefined;
}

/** A line of the console. */
export function LineRow({ line, look, isChosen, isWhole, onWhole, onChoose, expression }: Props) {
  const { text, stream, timestampMs } = line;
  const rest = isWhole ? 0 : text.length - shownMax;
  const shown = rest > 0 ? shownMax : text.length;
  return (
    <div class="log-line" data-stream={stream} data-line={line.line} data-chosen={isChosen}>
      <Number line={line.line} onChoose={onChoose} />
      <Before {...{ look, stream, timestampMs }} source={line.source} />
      <span class="log-words">
        <Pieces {...{ line, expression, shown }} />
        {rest > 0 && (
          <button type="button" onClick={onWhole}>
            … {countText(rest)} more characters
          </button>
        )}
      </span>
    </div>
  );
}

interface OpenProps {
  look: LineLook;
  source: number;
  stream: ConsoleLine["stream"];
  text: string;
}

/** A line that has not ended, such as a progress bar: it has neither number nor time yet. */
export function OpenRow({ look, source, stream, text }: OpenProps) {
  return (
    <div class="log-line unended" data-stream={stream}>
      <span class="number" title="This line has not ended yet">
        …
      </span>
      <Before {...{ look, source, stream }} />
      <span class="log-words">{text.slice(0, shownMax)}</span>
    </div>
  );
}

function Number({ line, onChoose }: { line: number; onChoose: Props["onChoose"] }) {
  return (
    <span
      class="number"
      title="Choose this line; with Shift all up to it"
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      onClick={(event) => onChoose(event.shiftKey)}
    >
      {line}
    </span>
  );
}

interface BeforeProps extends Omit<OpenProps, "text"> {
  timestampMs?: number;
}

function Before({ look, source, stream, timestampMs }: BeforeProps) {
  const { times, beganMs, sources } = look;
  return (
    <>
      {times !== "off" && (
        <span class="time" title={timestampMs === undefined ? undefined : exactTime(timestampMs)}>
          {timestampMs === undefined ? "" : lineTime(timestampMs, times, beganMs)}
        </span>
      )}
      {sources !== undefined && <span class="source">{sources.get(source)}</span>}
      <span class="stream">{streamWords[stream]}</span>
    </>
  );
}

interface PiecesProps extends Pick<Props, "line" | "expression"> {
  shown: number;
}

function Pieces({ line, expression, shown }: PiecesProps) {
  const { text, spans } = line;
  const hits = expression === undefined ? [] : hitsIn(text.slice(0, shown), expression);
  if (hits.length === 0 && (spans ?? []).length === 0) return <>{text.slice(0, shown)}</>;
  return (
    <>
      {piecesOf(line, hits, shown).map(({ text: part, style, isHit }, at) => {
        if (isHit) return <mark key={at}>{part}</mark>;
        if (style === "") return part;
        const { classes, colours } = lookOf(style);
        return (
          <span key={at} class={classes} style={colours}>
            {part}
          </span>
        );
      })}
    </>
  );
}
