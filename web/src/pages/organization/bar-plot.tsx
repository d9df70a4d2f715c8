import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type DayBar, namedDays, stacked, ticksTo } from "./usage-bars.ts";

interface Props {
  /** The measured quantity. */
  title: string;
  /** Names of the shares, by colour. */
  names: readonly string[];
  bars: readonly DayBar[];
  /** A value with its unit. */
  text: (value: number) => string;
  /** A short form for labels of lines. */
  short: (value: number) => string;
}

const height = 220;
const below = 24;
const above = 10;
/** Pixels reserved for a value at the left, and for a day below. */
const valuePixels = 68;
const dayPixels = 84;
/** Right padding of the figure. */
const sidePixels = 12;

/**
 * Stacked bars by day. The pointer or the arrow keys select a day, which is read out; the table
 * behind it has all numbers.
 */
export function BarPlot({ title, names, bars, text, short }: Props) {
  const figure = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(600);
  const [read, setRead] = useState<number>();
  useLayoutEffect(() => {
    const sized = new ResizeObserver(() => setWidth(figure.current!.clientWidth - sidePixels));
    sized.observe(figure.current!);
    return () => sized.disconnect();
  }, []);
  const total = bars.reduce((sum, bar) => sum + bar.total, 0);
  const pitch = pitchOf(bars, width);
  const press = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };
    const step = steps[event.key];
    const last = bars.length - 1;
    if (step !== undefined) setRead(Math.min(last, Math.max(0, (read ?? last + 1) + step)));
    else if (event.key === "Home") setRead(0);
    else if (event.key === "End") setRead(last);
    else if (event.key === "Escape") setRead(undefined);
    else return;
    event.preventDefault();
  };
  const bar = read === undefined ? undefined : bars[read];
  return (
    <figure
      class="bars"
      ref={figure}
      tabIndex={0}
      aria-label={`${title}: ${text(total)} from ${bars[0]?.day} to ${bars.at(-1)?.day}. Use the arrow keys to read each day.`}
      onKeyDown={press}
      onPointerLeave={() => setRead(undefined)}
      onPointerMove={({ clientX, currentTarget }) => {
        const x = clientX - currentTarget.getBoundingClientRect().left - valuePixels;
        const at = Math.floor(x / pitch);
        setRead(at >= 0 && at < bars.length ? at : undefined);
      }}
    >
      <figcaption>
        <strong>{title}</strong> <span class="soft">{text(total)} in total</span>
        <span class="reading" aria-live="polite">
          {bar !== undefined && `${bar.day}: ${readingOf(bar, names, text)}`}
        </span>
      </figcaption>
      <Bars bars={bars} width={width} short={short} read={read} />
      {names.length > 1 && (
        <ul class="legend">
          {names.map((name, at) => (
            <li key={name}>
              <span class={`sample share-${at % 10}`} aria-hidden="true" /> <bdi>{name}</bdi>
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}

interface BarsProps extends Pick<Props, "bars" | "short"> {
  width: number;
  /** Index of the selected day. */
  read: number | undefined;
}

function Bars({ bars, width, short, read }: BarsProps) {
  const ticks = ticksTo(Math.max(0, ...bars.map(({ total }) => total)));
  const top = ticks.at(-1)!;
  const pitch = pitchOf(bars, width);
  const xOf = (at: number) => valuePixels + at * pitch;
  const yOf = (value: number) => above + (height - below - above) * (1 - value / top);
  const named = namedDays(
    bars.map(({ day }) => day),
    Math.floor((width - valuePixels) / dayPixels),
  );
  return (
    <svg width={width} height={height} aria-hidden="true">
      {read !== undefined && (
        <rect class="place" x={xOf(read)} y={above} width={pitch} height={height - below - above} />
      )}
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="rule" x1={valuePixels} x2={width} y1={yOf(tick)} y2={yOf(tick)} />
          <text x={valuePixels - 8} y={yOf(tick) + 4} text-anchor="end">
            {short(tick)}
          </text>
        </g>
      ))}
      {bars.map(({ day, shares }, at) => (
        <g key={day}>
          {stacked(shares).map(({ series, from, to }) => (
            <rect
              key={series}
              class={`share-${series % 10}`}
              x={xOf(at) + pitch * 0.1}
              width={pitch * 0.8}
              y={yOf(to)}
              height={Math.max(1, yOf(from) - yOf(to))}
            />
          ))}
        </g>
      ))}
      {named.map((at) => (
        <text key={at} x={xOf(at) + pitch} y={height - 6} text-anchor="end">
          {bars[at].day}
        </text>
      ))}
    </svg>
  );
}

function pitchOf(bars: readonly DayBar[], width: number): number {
  return Math.max(1, (width - valuePixels - 8) / bars.length);
}

function readingOf({ shares, total }: DayBar, names: readonly string[], text: Props["text"]) {
  if (shares.length === 0) return "nothing";
  if (names.length === 1) return text(total);
  const parts = shares.map(({ series, value }) => `${names[series]} ${text(value)}`);
  return shares.length === 1 ? parts[0] : `${text(total)} (${parts.join(", ")})`;
}
