/**
 * A picture of dots for a terminal: each character is a braille pattern, two dots wide and four
 * high.
 */
export class Dots {
  /** In dots. */
  readonly width: number;
  readonly height: number;
  readonly #cells: Uint8Array;
  readonly #cellsWide: number;

  constructor(cellsWide: number, cellsHigh: number) {
    this.#cellsWide = cellsWide;
    this.width = 2 * cellsWide;
    this.height = 4 * cellsHigh;
    this.#cells = new Uint8Array(cellsWide * cellsHigh);
  }

  /** Sets a dot, from the lower left corner. Dots outside are ignored. */
  set(x: number, y: number): void {
    if (x < 0 || x >= this.width || y < 0 || y >= this.height) return;
    const down = this.height - 1 - y;
    this.#cells[(down >> 2) * this.#cellsWide + (x >> 1)] |= bits[down & 3][x & 1];
  }

  /** Sets every dot of a column between two heights, inclusive. */
  column(x: number, one: number, other: number): void {
    for (let y = Math.min(one, other); y <= Math.max(one, other); y++) this.set(x, y);
  }

  /** Draws a line with at least one dot in every column, without gaps. */
  line(fromX: number, fromY: number, toX: number, toY: number): void {
    const steps = Math.max(1, toX - fromX);
    let before = fromY;
    for (let step = 0; step <= steps; step++) {
      const y = Math.round(fromY + ((toY - fromY) * step) / steps);
      this.column(fromX + Math.min(step, toX - fromX), before, y);
      before = y;
    }
  }

  /** The rows of characters, from top to bottom. */
  rows(): string[] {
    const rows: string[] = [];
    for (let at = 0; at < this.#cells.length; at += this.#cellsWide) {
      const cells = this.#cells.subarray(at, at + this.#cellsWide);
      rows.push(Array.from(cells, (cell) => String.fromCharCode(firstPattern + cell)).join(""));
    }
    return rows;
  }
}

const firstPattern = 0x2800;
/** Bits of the dots in a pattern, by row from the top and by column. */
const bits = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
];
