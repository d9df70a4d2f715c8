import type { GroupCurve } from "@lossless/protocol";
import {
  type MemberColumns,
  memberColumns,
  type OverviewLine,
  type Room,
  roomFor,
} from "@lossless/protocol/member-columns";
import type { Raster } from "@lossless/protocol/raster";
import type { MemberGroup } from "./member-groups.ts";

/** The state of a group in each column, as one thread gives it to another. */
export interface FoldedColumns {
  points: number;
  unplaced: number;
  before: number;
  after: number;
  count: Uint32Array<ArrayBuffer>;
  mean: Float64Array<ArrayBuffer>;
  squares: Float64Array<ArrayBuffer>;
  min: Float64Array<ArrayBuffer>;
  max: Float64Array<ArrayBuffer>;
  recorded: Uint32Array<ArrayBuffer>;
  place: Float64Array<ArrayBuffer>;
}

/** The columns of a group, into which its members are folded one by one. */
export class FoldedCurve {
  points = 0;
  unplaced = 0;
  damaged = 0;
  nonfinite = 0;
  readonly #raster: Raster;
  readonly #count: Uint32Array<ArrayBuffer>;
  readonly #mean: Float64Array<ArrayBuffer>;
  /** Sums of the squares of the distances from the mean. */
  readonly #squares: Float64Array<ArrayBuffer>;
  readonly #min: Float64Array<ArrayBuffer>;
  readonly #max: Float64Array<ArrayBuffer>;
  readonly #recorded: Uint32Array<ArrayBuffer>;
  /** The place of all points of a column; NaN: there are several. */
  readonly #place: Float64Array<ArrayBuffer>;
  /** Memory for one member after the other. */
  readonly #room: Room;
  /** Where the last member has its points, and further members that have them there, too. */
  #layout: Room["filled"];
  #repeats = 0;
  #before = -Infinity;
  #after = Infinity;

  constructor(raster: Raster) {
    const { columns } = raster;
    this.#raster = raster;
    this.#count = new Uint32Array(columns);
    this.#mean = new Float64Array(columns);
    this.#squares = new Float64Array(columns);
    this.#min = new Float64Array(columns).fill(Infinity);
    this.#max = new Float64Array(columns).fill(-Infinity);
    this.#recorded = new Uint32Array(columns);
    this.#place = new Float64Array(columns);
    this.#room = roomFor(raster);
  }

  /** Folds one member in. */
  add(line: OverviewLine): void {
    const columns = memberColumns(line, this.#raster, this.#room);
    this.#addValues(columns);
    this.#addPlaces(columns);
    const { before, after } = line;
    if (before !== undefined && before.x > this.#before) this.#before = before.x;
    if (after !== undefined && after.x < this.#after) this.#after = after.x;
  }

  /** Returns the columns themselves, for which nothing more is folded. */
  columns(): FoldedColumns {
    this.#addRepeats();
    return {
      points: this.points,
      unplaced: this.unplaced,
      before: this.#before,
      after: this.#after,
      count: this.#count,
      mean: this.#mean,
      squares: this.#squares,
      min: this.#min,
      max: this.#max,
      recorded: this.#recorded,
      place: this.#place,
    };
  }

  /** Adds members that were folded elsewhere. */
  addColumns(other: FoldedColumns): void {
    this.#addRepeats();
    this.#layout = undefined;
    this.points += other.points;
    this.unplaced += other.unplaced;
    this.#before = Math.max(this.#before, other.before);
    this.#after = Math.min(this.#after, other.after);
    for (let column = 0; column < other.count.length; column++) {
      if (other.count[column] > 0) this.#addMany(column, other);
      if (other.recorded[column] === 0) continue;
      const isFirst = this.#recorded[column] === 0;
      this.#recorded[column] += other.recorded[column];
      if (isFirst) this.#place[column] = other.place[column];
      else if (this.#place[column] !== other.place[column]) this.#place[column] = NaN;
    }
  }

  /** Joins two means and two sums of squares by Chan's way. */
  #addMany(column: number, { count, mean, squares, min, max }: FoldedColumns): void {
    const own = this.#count[column];
    const all = own + count[column];
    const away = mean[column] - this.#mean[column];
    const share = count[column] / all;
    this.#mean[column] =
      Math.abs(away) <= Number.MAX_VALUE
        ? this.#mean[column] + away * share
        : this.#mean[column] * (own / all) + mean[column] * share;
    this.#squares[column] += squares[column] + away * (away * (own * share));
    this.#count[column] = all;
    if (min[column] < this.#min[column]) this.#min[column] = min[column];
    if (max[column] > this.#max[column]) this.#max[column] = max[column];
  }

  #addValues({ value, min, max }: MemberColumns): void {
    const [count, mean, squares] = [this.#count, this.#mean, this.#squares];
    const [least, largest] = [this.#min, this.#max];
    for (let column = 0; column < value.length; column++) {
      const each = value[column];
      if (each !== each) continue;
      // Into the mean and the squares by Welford's way, in which no sum can overflow.
      const counted = ++count[column];
      const before = mean[column];
      const away = each - before;
      const next =
        Math.abs(away) <= Number.MAX_VALUE
          ? before + away / counted
          : before + (each / counted - before / counted);
      mean[column] = next;
      squares[column] += away * (each - next);
      if (min[column] < least[column]) least[column] = min[column];
      if (max[column] > largest[column]) largest[column] = max[column];
    }
  }

  /** Most members have their points where the one before has them, which is only counted then. */
  #addPlaces({ value, recorded, place }: MemberColumns): void {
    const layout = this.#room.filled;
    if (layout !== undefined && layout === this.#layout) {
      this.#repeats++;
      return;
    }
    this.#addRepeats();
    this.#layout = layout;
    const [members, places] = [this.#recorded, this.#place];
    for (let column = 0; column < value.length; column++) {
      if (recorded[column] === 0) continue;
      if (members[column]++ === 0) places[column] = place[column];
      else if (places[column] !== place[column]) places[column] = NaN;
    }
  }

  #addRepeats(): void {
    const members = this.#recorded;
    if (this.#repeats > 0)
      for (let run = 0; run < this.#layout!.length; run++)
        members[this.#layout!.column[run]] += this.#repeats;
    this.#repeats = 0;
  }

  reply({ values, experiments, members }: MemberGroup): GroupCurve {
    this.#addRepeats();
    const column = filled(this.#count);
    const recorded = filled(this.#recorded);
    const { points, unplaced, damaged, nonfinite } = this;
    return {
      values: [...values],
      experiments,
      members: members.length,
      points,
      ...(unplaced > 0 && { unplaced }),
      ...(damaged > 0 && { damaged }),
      ...(nonfinite > 0 && { nonfinite }),
      column,
      count: column.map((at) => this.#count[at]),
      mean: column.map((at) => this.#mean[at]),
      min: column.map((at) => this.#min[at]),
      max: column.map((at) => this.#max[at]),
      deviation: column.map((at) => this.#deviation(at)),
      recorded: {
        column: recorded,
        members: recorded.map((at) => this.#recorded[at]),
        x: recorded.map((at) => (Number.isNaN(this.#place[at]) ? null : this.#place[at])),
      },
      ...(this.#before > -Infinity && { before: this.#before }),
      ...(this.#after < Infinity && { after: this.#after }),
    };
  }

  #deviation(column: number): number {
    const count = this.#count[column];
    if (count === 1) return 0;
    return Math.min(Number.MAX_VALUE, Math.sqrt(this.#squares[column] / (count - 1)));
  }
}

function filled(counts: Uint32Array): number[] {
  const columns: number[] = [];
  for (let at = 0; at < counts.length; at++) if (counts[at] > 0) columns.push(at);
  return columns;
}
