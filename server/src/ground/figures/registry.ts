/** Samples read on request: gauges, and counters kept elsewhere. */
type Samples = () => Iterable<readonly [labels: string, value: number]>;

interface Family {
  name: string;
  kind: "counter" | "gauge" | "histogram";
  help: string;
  samples: Samples;
}

/**
 * Figures in the Prometheus text format, version 0.0.4. Labels come from closed sets (routes,
 * codes, event names), never from tenants or clients, so the number of series is bounded.
 */
export class Registry {
  readonly #families: Family[] = [];

  counter(name: string, help: string, labelNames: readonly string[] = []): Counter {
    const counter = new Counter(name, labelNames);
    this.#families.push({ name, kind: "counter", help, samples: () => counter.samples() });
    return counter;
  }

  histogram(
    name: string,
    help: string,
    bounds: readonly number[],
    labelNames: readonly string[] = [],
  ): Histogram {
    const histogram = new Histogram(name, bounds, labelNames);
    this.#families.push({ name, kind: "histogram", help, samples: () => histogram.samples() });
    return histogram;
  }

  /** Registers a value that is computed on request; undefined leaves the sample out. */
  gauge(name: string, help: string, read: () => number | undefined, labels = ""): void {
    const samples = function* () {
      const value = read();
      if (value !== undefined) yield [`${name}${labels}`, value] as const;
    };
    this.#families.push({ name, kind: "gauge", help, samples });
  }

  /** Registers a counter that is kept elsewhere. */
  counted(name: string, help: string, read: () => number): void {
    const samples = () => [[name, read()] as const];
    this.#families.push({ name, kind: "counter", help, samples });
  }

  text(): string {
    const lines: string[] = [];
    for (const { name, kind, help, samples } of this.#families) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`);
      for (const [sample, value] of samples()) lines.push(`${sample} ${value}`);
    }
    return `${lines.join("\n")}\n`;
  }
}

export class Counter {
  readonly #name: string;
  readonly #labelNames: readonly string[];
  readonly #values = new Map<string, number>();

  constructor(name: string, labelNames: readonly string[]) {
    this.#name = name;
    this.#labelNames = labelNames;
    if (labelNames.length === 0) this.#values.set("", 0);
  }

  /** Adds to the sample with these label values, in the order of the names. */
  add(amount: number, ...labelValues: string[]): void {
    const labels = labelText(this.#labelNames, labelValues);
    this.#values.set(labels, (this.#values.get(labels) ?? 0) + amount);
  }

  *samples(): Iterable<readonly [string, number]> {
    for (const [labels, value] of this.#values) yield [`${this.#name}${labels}`, value];
  }
}

interface Distribution {
  counts: number[];
  sum: number;
  labelValues: string[];
}

export class Histogram {
  readonly #name: string;
  readonly #bounds: readonly number[];
  readonly #labelNames: readonly string[];
  readonly #distributions = new Map<string, Distribution>();

  constructor(name: string, bounds: readonly number[], labelNames: readonly string[]) {
    this.#name = name;
    this.#bounds = bounds;
    this.#labelNames = labelNames;
  }

  observe(value: number, ...labelValues: string[]): void {
    const key = labelValues.join("\n");
    let found = this.#distributions.get(key);
    if (found === undefined) {
      found = { counts: new Array<number>(this.#bounds.length + 1).fill(0), sum: 0, labelValues };
      this.#distributions.set(key, found);
    }
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    found.counts[bucket === -1 ? this.#bounds.length : bucket] += 1;
    found.sum += value;
  }

  *samples(): Iterable<readonly [string, number]> {
    const names = [...this.#labelNames, "le"];
    for (const { counts, sum, labelValues } of this.#distributions.values()) {
      let below = 0;
      for (const [index, count] of counts.entries()) {
        below += count;
        const bound = index < this.#bounds.length ? String(this.#bounds[index]) : "+Inf";
        yield [`${this.#name}_bucket${labelText(names, [...labelValues, bound])}`, below];
      }
      const labels = labelText(this.#labelNames, labelValues);
      yield [`${this.#name}_sum${labels}`, sum];
      yield [`${this.#name}_count${labels}`, below];
    }
  }
}

export function labelText(names: readonly string[], values: readonly string[]): string {
  if (names.length !== values.length) {
    throw new Error(`BUG: ${names.length} label names and values ${values.join(", ")}`);
  }
  if (names.length === 0) return "";
  const pairs = names.map((name, index) => {
    const value = values[index].replace(/[\\"\n]/g, (mark) =>
      mark === "\n" ? "\\n" : `\\${mark}`,
    );
    return `${name}="${value}"`;
  });
  return `{${pairs.join(",")}}`;
}
