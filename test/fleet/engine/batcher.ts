export interface BatcherSettings<Item> {
  /** Batches in work at once. */
  atOnce: number;
  /** Sum of weights at which a batch is full. */
  weightMax: number;
  weightOf: (item: Item) => number;
  serve: (batch: Item[], done: () => void) => void;
}

/** Group commit: a batch is whatever waits when a place is free; there is no timer. */
export class Batcher<Item> {
  readonly #settings: BatcherSettings<Item>;
  readonly #waiting: Item[] = [];
  #serving = 0;
  /** Batches and items that were begun. */
  batches = 0;
  items = 0;

  constructor(settings: BatcherSettings<Item>) {
    this.#settings = settings;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    this.#serve();
  }

  #serve(): void {
    const { atOnce, serve } = this.#settings;
    while (this.#serving < atOnce && this.#waiting.length > 0) {
      const batch = this.#take();
      this.#serving++;
      this.batches++;
      this.items += batch.length;
      serve(batch, () => {
        this.#serving--;
        this.#serve();
      });
    }
  }

  #take(): Item[] {
    const { weightMax, weightOf } = this.#settings;
    let [count, weight] = [0, 0];
    while (count < this.#waiting.length && (count === 0 || weight < weightMax))
      weight += weightOf(this.#waiting[count++]);
    return this.#waiting.splice(0, count);
  }
}
