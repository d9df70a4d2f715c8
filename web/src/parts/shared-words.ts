/**
 * Names with "…" for the words that all have in the same place, counted from either end. Whole
 * names, where that would leave nothing of one, or the same of two.
 */
export function withoutShared(
  names: readonly string[],
  widthOf: (text: string) => number,
): ReadonlyMap<string, string> {
  const lists = names.map(wordsOf);
  const [shortest] = lists.toSorted((one, other) => one.length - other.length);
  const fromStart = shortest.map((word, at) => lists.every((list) => list[at] === word));
  const fromEnd = shortest
    .toReversed()
    .map((word, at) => lists.every((list) => list.at(-1 - at) === word));
  const texts = lists.map((list) => {
    const runs = [{ isLeft: false, text: "" }];
    for (const [at, text] of list.entries()) {
      const isLeft = fromStart[at] || fromEnd[list.length - 1 - at] || false;
      if (runs.at(-1)!.isLeft === isLeft) runs.at(-1)!.text += text;
      else runs.push({ isLeft, text });
    }
    return runs
      .map(({ isLeft, text }) => (isLeft && widthOf(text) > widthOf("…") ? "…" : text))
      .join("");
  });
  const isTold = !texts.includes("…") && new Set(texts).size === names.length;
  return new Map(names.map((name, at) => [name, isTold ? texts[at] : name]));
}

/** Words with the separators behind them; `1e-3` and `0.1` are one each. */
function wordsOf(name: string): string[] {
  return name.split(/(?<=[/_\s=,:]|(?<!\de)-|-(?!\d)|\.(?!\d)|(?<!\d)\.)/u);
}
