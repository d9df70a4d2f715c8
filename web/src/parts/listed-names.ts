import { shortNames } from "./short-names.ts";
import { measureOf } from "./text-width.ts";

/** The room of a name on a page. */
export interface NameRoom {
  /** In CSS pixels. */
  width: number;
  font: string;
  /** Whether the whole name has room. */
  isWhole: boolean;
}

/** Widths of a list that are kept: a dragged edge has many. */
const keptMax = 8;

/** The names that a list shows together, shortened so that they can be told apart. */
export class ListedNames {
  readonly #names: readonly string[];
  readonly #measures = new Map<string, (text: string) => number>();
  readonly #kept = new Map<string, ReadonlyMap<string, string>>();

  constructor(names: Iterable<string>) {
    this.#names = [...new Set(names)];
  }

  /** The text of one of the names; without a room it is whole. */
  textOf(name: string, room: NameRoom | undefined): string {
    if (room === undefined || room.width <= 0 || room.isWhole) return name;
    const widthOf = this.#measures.get(room.font) ?? measureOf(room.font);
    this.#measures.set(room.font, widthOf);
    // Widths of letters do not add up exactly.
    const width = Math.floor(Math.min(room.width, widthOf(name) - 1));
    const key = `${width} ${room.font}`;
    const short = this.#kept.get(key) ?? shortNames(this.#names, width, widthOf);
    if (this.#kept.size === keptMax) this.#kept.clear();
    this.#kept.set(key, short);
    return short.get(name) ?? name;
  }
}
