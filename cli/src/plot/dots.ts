/** A picture of dots for a terminal: each character is a braille pattern of two by four. */
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

  /** Counted from the lower left corner. What lies outside is not drawn. */
  set(x: number, y: number): void {
    if (x < 0 || x >= this.width || y < 0 || y >= this.height) return;
    const down = this.height - 1 - y;
    this.#cells[(down >> 2) * this.#cellsWide + (x >> 1)] |= bits[down & 3][x & 1];
  }

  /** Every dot of one column between two heights, both included. */
  column(x: number, one: number, other: number): void {
    for (let y = Math.min(one, other); y <= Math.max(one, other); y++) this.set(x, y);
  }

  /** A line of which every column has at least one dot, without gaps. */
  line(fromX: number, fromY: number, toX: number, toY: number): void {
    const steps = Math.max(1, toX - fromX);
    let before = fromY;
    for (let step = 0; step <= steps; step++) {
      const y = Math.round(fromY + ((toY - fromY) * step) / steps);
      this.column(fromX + Math.min(step, toX - fromX), before, y);
      before = y;
    }
  }

  /** From top to bottom. */
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
/** The bit of a dot in its pattern, by row from the top and by column. */
const bits = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
];
