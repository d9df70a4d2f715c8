/** Hues, evenly spread, and three shades of each: lightness and chroma, light and dark ones. */
const hues = 18;
const shades = [
  [0.78, 0.13],
  [0.6, 0.17],
  [0.42, 0.14],
] as const;

/** The start of the hash: chosen so that the tags that most people use have colours apart. */
const start = 9_725;

/** A colour as CSS has it, and as OKLab: lightness and the two axes of colour. */
export interface TagColour {
  css: string;
  lab: readonly [number, number, number];
}

/** The colour of a tag: that of its name alone, on all pages and in all lists. */
export function tagColour(tag: string): TagColour {
  const at = hashOf(tag) % (hues * shades.length);
  const hue = ((at % hues) * 360) / hues;
  const [lightness, chroma] = shades[Math.floor(at / hues)];
  const angle = (hue * Math.PI) / 180;
  return {
    css: `oklch(${lightness} ${chroma} ${hue})`,
    lab: [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)],
  };
}

/** FNV-1a, whose bits are mixed at the end: names that differ in one letter are far apart. */
function hashOf(text: string): number {
  let hash = start;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
