import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useRowPixels } from "../../../parts/row-pixels.ts";
import { copyLines } from "./copied-lines.ts";
import type { ConsoleLines, ConsolePlace } from "./console-lines.ts";
import type { ConsoleView } from "./console-view.ts";
import type { LineWindow } from "./line-ranges.ts";
import { type LineLook, LineRow, OpenRow } from "./line-row.tsx";
import { Scroller } from "./scroller.ts";
import type { Search } from "./search.ts";
import type { Going } from "./use-way.ts";

/** The height of `.line` in console.css. */
const rowRem = 1.25;

interface Props {
  /** Its number among the panes. */
  number: number;
  name: string;
  isAlone: boolean;
  lines: ConsoleLines;
  view: ConsoleView;
  look: LineLook;
  search: Search | undefined;
  /** The latest place that any pane went to. */
  going: Going;
  onPlace: (place: ConsolePlace) => void;
  onChoose: (line: number, isRange: boolean) => void;
}

/** Lines of a console in a scrolling element, of which those near the screen are drawn. */
export function Pane(props: Props) {
  const { number, name, isAlone, lines, view, going, onPlace } = props;
  const rowPixels = useRowPixels(rowRem);
  const container = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const block = useRef<HTMLDivElement>(null);
  const latest = useRef({ lines, onPlace });
  latest.current = { lines, onPlace };
  const [, setDrawing] = useState(0);
  const scroller = useMemo(
    () =>
      new Scroller((place, isRedrawn) => {
        if (isRedrawn || place === "end") {
          latest.current.lines.show(place);
          setDrawing((drawing) => drawing + 1);
        }
        latest.current.onPlace(place);
      }),
    [],
  );
  useLayoutEffect(
    () =>
      scroller.attach({
        container: container.current!,
        content: content.current!,
        block: block.current!,
      }),
    [scroller],
  );
  useLayoutEffect(() => {
    if (going.by === number) return;
    if (going.isGentle === true && going.place !== "end" && scroller.shows(going.place))
      return scroller.stay();
    scroller.goTo(going.place, going.by !== undefined);
    lines.show(going.place);
    setDrawing((drawing) => drawing + 1);
  }, [going, lines]);
  void lines.version.value;
  const window = lines.window;
  const total = lines.total.value ?? 0;
  useLayoutEffect(() => {
    const { isFirst, isLast } = window;
    const numbers = window.lines.map(({ line }) => line);
    scroller.arrange({ lines: numbers, isFirst, isLast, total, rowPixels, isAlone });
  });
  return (
    <div
      class="log"
      role="log"
      aria-live="off"
      aria-label={name}
      aria-busy={window.missing !== undefined}
      tabIndex={0}
      data-wrapped={view.isWrapped}
      ref={container}
      onCopy={copyLines}
    >
      <div ref={content}>
        <div class="lines" ref={block}>
          <Rows {...props} drawn={window} />
        </div>
      </div>
    </div>
  );
}

interface RowsProps extends Props {
  /** Another object with each drawing: without it nothing would say that there are other lines. */
  drawn: LineWindow;
}

function Rows({ lines, view, look, search, onChoose, drawn }: RowsProps) {
  const [whole, setWhole] = useState<ReadonlySet<number>>(new Set());
  const { chosen } = view;
  return (
    <>
      {drawn.lines.map((line) => (
        <LineRow
          key={line.line}
          {...{ line, look }}
          isChosen={chosen !== undefined && line.line >= chosen.from && line.line <= chosen.to}
          isWhole={whole.has(line.line)}
          onWhole={() => setWhole((before) => new Set([...before, line.line]))}
          onChoose={(isRange) => onChoose(line.line, isRange)}
          expression={search?.expressionFor(line.line)}
        />
      ))}
      {drawn.isLast &&
        openLines(lines, view).map(({ source, stream, text }) => (
          <OpenRow key={`${source} ${stream}`} {...{ look, source, stream, text }} />
        ))}
    </>
  );
}

/** Lines of the wanted sources and streams that have not ended. */
function openLines(lines: ConsoleLines, { streams }: ConsoleView) {
  const { sources: wanted } = lines.choice;
  return lines.sources.value
    .filter(({ source }) => wanted === undefined || wanted.includes(source))
    .flatMap(({ source, open }) => open.map((line) => ({ source, ...line })))
    .filter(
      ({ stream, text }) => text !== "" && (streams === undefined || streams.includes(stream)),
    );
}
