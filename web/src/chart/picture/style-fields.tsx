import type { ComponentChildren } from "preact";
import { legendPlaces, type LegendPlace, type PictureFrame } from "./picture-frame.ts";
import {
  fonts,
  inUnit,
  sizes,
  unitNames,
  type FontName,
  type PictureStyle,
  type RangeName,
  type Unit,
} from "./picture-style.ts";

/** Words of one picture. */
export interface PictureWords {
  title: string;
  /** Labels of axes that are written by hand. */
  labels?: Partial<PictureFrame["labels"]>;
  /** Other names of lines, by their own. */
  names: Readonly<Record<string, string>>;
}

interface WordProps {
  words: PictureWords;
  labels: PictureFrame["labels"] | undefined;
  names: readonly string[];
  onWords: (words: PictureWords) => void;
}

/** Names offered at most; more have no room in a picture. */
const namesMax = 100;

export function WordFields({ words, labels, names, onWords }: WordProps) {
  const label = (part: Partial<PictureFrame["labels"]>) =>
    onWords({ ...words, labels: { ...words.labels, ...part } });
  const named = [...new Set(names.filter((name) => name !== ""))];
  return (
    <>
      <Field label="title">
        <input
          value={words.title}
          onInput={({ currentTarget }) => onWords({ ...words, title: currentTarget.value })}
        />
      </Field>
      {labels !== undefined && (
        <>
          <Field label="label of x">
            <input
              value={labels.x}
              onInput={({ currentTarget }) => label({ x: currentTarget.value })}
            />
          </Field>
          <Field label="label of y">
            <input
              value={labels.y}
              onInput={({ currentTarget }) => label({ y: currentTarget.value })}
            />
          </Field>
        </>
      )}
      {named.length > 0 && (
        <details>
          <summary>names in the legend</summary>
          <p class="hint">An empty name is left out.</p>
          {named.slice(0, namesMax).map((name) => (
            <input
              key={name}
              aria-label={`Name of ${name}`}
              value={words.names[name] ?? name}
              onInput={({ currentTarget }) =>
                onWords({ ...words, names: { ...words.names, [name]: currentTarget.value } })
              }
            />
          ))}
        </details>
      )}
    </>
  );
}

interface StyleProps {
  style: PictureStyle;
  change: (part: Partial<PictureStyle>) => void;
  hasSigns: boolean;
  hasLegend: boolean;
}

const legendTitles: Record<LegendPlace, string> = {
  below: "below",
  right: "at the right",
  ends: "at the ends of the lines",
  "top-left": "in the plot, upper left",
  "top-right": "in the plot, upper right",
  "bottom-left": "in the plot, lower left",
  "bottom-right": "in the plot, lower right",
  none: "none",
};

export function StyleFields({ style, change, hasSigns, hasLegend }: StyleProps) {
  const number = (name: "width" | "height" | RangeName) => (
    <input
      type="number"
      step="any"
      value={Number.isFinite(style[name]) ? style[name] : ""}
      onInput={({ currentTarget }) => change({ [name]: currentTarget.valueAsNumber })}
    />
  );
  return (
    <>
      <SizeFields {...{ style, change, number }} />
      <Field label="font">
        <select
          value={style.font}
          onChange={({ currentTarget }) => change({ font: currentTarget.value as FontName })}
        >
          {Object.entries(fonts).map(([name, { title }]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </Field>
      <Field label="font size, pt">{number("fontPoints")}</Field>
      <Field label="line width, pt">{number("linePoints")}</Field>
      {hasLegend && (
        <Field label="legend">
          <select
            value={style.legend}
            onChange={({ currentTarget }) => change({ legend: currentTarget.value as LegendPlace })}
          >
            {legendPlaces.map((place) => (
              <option key={place} value={place}>
                {legendTitles[place]}
              </option>
            ))}
          </select>
        </Field>
      )}
      <label class="tick">
        <input
          type="checkbox"
          checked={style.hasGrid}
          onChange={() => change({ hasGrid: !style.hasGrid })}
        />
        grid
      </label>
      {hasSigns && (
        <label class="tick">
          <input
            type="checkbox"
            checked={style.hasSigns}
            onChange={() => change({ hasSigns: !style.hasSigns })}
          />
          signs of checkpoints and other events
        </label>
      )}
    </>
  );
}

interface SizeProps extends Pick<StyleProps, "style" | "change"> {
  number: (name: "width" | "height" | "dpi") => ComponentChildren;
}

function SizeFields({ style, change, number }: SizeProps) {
  const { unit, width, height } = style;
  const chosen = sizes.findIndex(
    (size) => size.unit === unit && size.width === width && size.height === height,
  );
  const choose = (at: number) => {
    if (at < 0) return;
    const { title: _, ...size } = sizes[at];
    change(size);
  };
  return (
    <>
      <Field label="size">
        <select
          value={chosen}
          onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
        >
          {sizes.map(({ title }, at) => (
            <option key={title} value={at}>
              {title}
            </option>
          ))}
          <option value={-1}>as written below</option>
        </select>
      </Field>
      <Field label="width">{number("width")}</Field>
      <Field label="height">{number("height")}</Field>
      <Field label="unit">
        <select
          value={unit}
          onChange={({ currentTarget }) => change(inUnit(style, currentTarget.value as Unit))}
        >
          {unitNames.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      {unit !== "px" && <Field label="dots per inch">{number("dpi")}</Field>}
    </>
  );
}

function Field({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <label>
      {label}
      {children}
    </label>
  );
}
