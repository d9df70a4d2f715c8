import { signal } from "@preact/signals";
import { type NameScheme, schemesOf } from "./name-schemes.ts";
import { type NamePiece, shortPieces } from "./short-names.ts";
import { measureOf } from "./text-width.ts";

/** The room of a name on a page. */
export interface NameRoom {
  /** In CSS pixels. */
  width: number;
  font: string;
  /** Whether the whole name has room. */
  isWhole: boolean;
}

/** The part of rows that may be narrower than what all are shortened for. */
const narrowPart = 0.2;
/** Widths of a list that are kept: a dragged edge has many. */
const keptMax = 8;

/** The names that a list shows together, shortened so that they can be told apart. */
export class ListedNames {
  readonly #names: readonly string[];
  readonly #measures = new Map<string, (text: string) => number>();
  readonly #kept = new Map<string, ReadonlyMap<string, readonly NamePiece[]>>();
  /** The rooms of the rows that are shown. */
  readonly #rooms = new Map<object, number>();
  /** The room of nearly all rows: names that are compared lose the same words. */
  readonly #common = signal(Infinity);
  #schemes: readonly NameScheme[] | undefined;

  constructor(names: Iterable<string>) {
    this.#names = [...new Set(names)];
  }

  /** Tells the room of a row; undefined: it is no longer shown. */
  measured(row: object, name: string, room: NameRoom | undefined): void {
    if (room === undefined) this.#rooms.delete(row);
    else this.#rooms.set(row, this.#roomOf(name, room));
    const rooms = [...this.#rooms.values()].sort((one, other) => one - other);
    this.#common.value = rooms[Math.floor(rooms.length * narrowPart)] ?? Infinity;
  }

  /** The pieces of one of the names; without a room it is whole. */
  piecesOf(name: string, room: NameRoom | undefined): readonly NamePiece[] {
    const isAlone = this.#names.length < 2;
    if (room === undefined || room.width <= 0 || (isAlone && room.isWhole)) return whole(name);
    const width = Math.min(this.#roomOf(name, room), this.#common.value);
    return this.#at(Math.floor(width), room.font).get(name) ?? whole(name);
  }

  #roomOf(name: string, { width, font, isWhole }: NameRoom): number {
    const own = this.#widthOf(font)(name);
    // An element that is as wide as its name has as much room as it needs.
    if (isWhole && width - own < 2) return Infinity;
    // Widths of letters do not add up exactly.
    return isWhole ? Math.max(width, own) : Math.min(width, own - 1);
  }

  #at(width: number, font: string): ReadonlyMap<string, readonly NamePiece[]> {
    const key = `${width} ${font}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    this.#schemes ??= schemesOf(this.#names);
    const pieces = shortPieces(this.#schemes, width, this.#widthOf(font));
    if (this.#kept.size === keptMax) this.#kept.clear();
    this.#kept.set(key, pieces);
    return pieces;
  }

  #widthOf(font: string): (text: string) => number {
    const known = this.#measures.get(font) ?? measureOf(font);
    this.#measures.set(font, known);
    return known;
  }
}

function whole(name: string): NamePiece[] {
  return [{ text: name, isShared: false }];
}
