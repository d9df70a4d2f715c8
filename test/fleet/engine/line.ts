/** A line to wait in. `shift` of a long array would move all of it. */
export class Line<Thing> {
  readonly #things: Thing[] = [];
  #first = 0;

  get length(): number {
    return this.#things.length - this.#first;
  }

  push(thing: Thing): void {
    this.#things.push(thing);
  }

  shift(): Thing | undefined {
    if (this.length === 0) return undefined;
    const thing = this.#things[this.#first++];
    if (this.#first > 1_000 && this.#first * 2 > this.#things.length) {
      this.#things.splice(0, this.#first);
      this.#first = 0;
    }
    return thing;
  }
}
