/** Colours and styles of a terminal, as a page shows them on light and dark ground. */

type Rgb = readonly [red: number, green: number, blue: number];

/** The look of a stretch of text: classes, and colours as custom properties of console.css. */
export interface SgrLook {
  classes: string;
  colours: Record<string, string>;
}

interface Sgr {
  classes: Set<string>;
  isInverse: boolean;
  foreground?: Rgb | undefined;
  background?: Rgb | undefined;
}

/** The grounds of chosen lines, which contrast less with their text than the others. */
const grounds = { light: [0xe3, 0xf1, 0xec], dark: [0x1d, 0x36, 0x30] } as const satisfies Record<
  string,
  Rgb
>;
const texts = { light: [0x1b, 0x21, 0x1e], dark: [0xe6, 0xeb, 0xe8] } as const;
/** WCAG 1.4.3. */
const contrastMin = 4.5;

/** Returns the look of a terminal's parameters, for instance `1;31`. Text is always readable. */
export function lookOf(style: string): SgrLook {
  const { classes, isInverse, foreground, background } = sgrOf(style);
  const colours: Record<string, string> = {};
  for (const theme of ["light", "dark"] as const) {
    const text = isInverse ? (background ?? grounds[theme]) : foreground;
    const ground = isInverse ? (foreground ?? texts[theme]) : background;
    if (ground !== undefined) colours[`--${theme}-ground`] = colourText(ground);
    if (text !== undefined || ground !== undefined)
      colours[`--${theme}`] = colourText(readable(text ?? texts[theme], ground ?? grounds[theme]));
  }
  if (Object.keys(colours).length > 0) classes.add("ansi");
  return { classes: [...classes].join(" "), colours };
}

const switches: Readonly<Record<number, string>> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underlined",
  9: "struck",
};

function sgrOf(style: string): Sgr {
  const sgr: Sgr = { classes: new Set(), isInverse: false };
  const codes = style.split(/[;:]/).map(Number);
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at];
    if (code === 0)
      Object.assign(sgr, {
        isInverse: false,
        foreground: undefined,
        background: undefined,
      }).classes.clear();
    else if (code === 7) sgr.isInverse = true;
    else if (code === 38 || code === 48) {
      const { colour, length } = extendedColour(codes, at + 1);
      if (code === 38) sgr.foreground = colour;
      else sgr.background = colour;
      at += length;
    } else if (code >= 30 && code <= 37) sgr.foreground = indexed(code - 30);
    else if (code >= 90 && code <= 97) sgr.foreground = indexed(code - 82);
    else if (code >= 40 && code <= 47) sgr.background = indexed(code - 40);
    else if (code >= 100 && code <= 107) sgr.background = indexed(code - 92);
    else if (switches[code] !== undefined) sgr.classes.add(switches[code]);
  }
  return sgr;
}

/** A colour by its index (`5;n`) or its parts (`2;r;g;b`), and how many codes it takes. */
function extendedColour(
  codes: readonly number[],
  at: number,
): { colour: Rgb | undefined; length: number } {
  if (codes[at] === 5) return { colour: indexed(codes[at + 1]), length: 2 };
  if (codes[at] !== 2) return { colour: undefined, length: 1 };
  const parts = codes.slice(at + 1, at + 4).map((part) => Math.min(255, part || 0));
  return { colour: parts.length === 3 ? (parts as unknown as Rgb) : undefined, length: 4 };
}

const basic: readonly Rgb[] = [
  [0, 0, 0],
  [194, 54, 33],
  [37, 150, 36],
  [160, 120, 0],
  [40, 80, 210],
  [170, 40, 170],
  [20, 140, 150],
  [190, 190, 190],
  [110, 110, 110],
  [240, 75, 60],
  [60, 200, 70],
  [215, 185, 40],
  [95, 140, 255],
  [235, 90, 235],
  [50, 200, 215],
  [255, 255, 255],
];

/** A colour among 256: 16 basic ones, a cube, and greys. */
function indexed(index: number): Rgb | undefined {
  if (!(index >= 0 && index <= 255)) return undefined;
  if (index < 16) return basic[index];
  if (index >= 232) {
    const grey = 8 + 10 * (index - 232);
    return [grey, grey, grey];
  }
  const part = (value: number) => (value === 0 ? 0 : 55 + 40 * value);
  const cube = index - 16;
  return [part(Math.floor(cube / 36)), part(Math.floor(cube / 6) % 6), part(cube % 6)];
}

/** Moves a colour towards black or white until it can be read on a ground. */
function readable(colour: Rgb, ground: Rgb): Rgb {
  const end = luminance(ground) > 0.18 ? 0 : 255;
  let mixed = colour;
  for (let share = 0.1; contrast(mixed, ground) < contrastMin && share < 1.05; share += 0.1)
    mixed = colour.map((part) =>
      Math.round(part + (end - part) * Math.min(1, share)),
    ) as unknown as Rgb;
  return mixed;
}

/** The contrast of two colours, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function colourText(colour: Rgb): string {
  return `rgb(${colour.join(" ")})`;
}
