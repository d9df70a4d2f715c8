/** Questions to a thread that wait for its answer, by number. */
export class Answers {
  private readonly waiting = new Map<number, PromiseWithResolvers<unknown>>();
  private nextId = 1;

  /** The number to send along, and the promise of the answer. */
  expect<Answer>(): { id: number; answer: Promise<Answer> } {
    const id = this.nextId++;
    const resolvers = Promise.withResolvers<unknown>();
    this.waiting.set(id, resolvers);
    return { id, answer: resolvers.promise as Promise<Answer> };
  }

  resolve(id: number, answer: unknown): void {
    this.waiting.get(id)?.resolve(answer);
    this.waiting.delete(id);
  }

  reject(id: number, error: Error): void {
    this.waiting.get(id)?.reject(error);
    this.waiting.delete(id);
  }

  /** Nobody will answer any more. */
  rejectAll(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}
