/** Names similar to `word`, nearest first: within a few slips, else names that begin with it. */
export function nearNames(word: string, names: Iterable<string>, most = 3): string[] {
  if (word === "") return [];
  const slipsMax = Math.min(3, Math.ceil(word.length / 4));
  const wanted = word.toLowerCase();
  const near: { name: string; slips: number }[] = [];
  for (const name of names) {
    const candidate = name.toLowerCase();
    // At least as many slips as the lengths differ by.
    const isFar = Math.abs(candidate.length - wanted.length) > slipsMax;
    const slips = isFar ? Infinity : slipsBetween(wanted, candidate);
    if (slips <= slipsMax) near.push({ name, slips });
    else if (wanted.length > 2 && candidate.startsWith(wanted))
      near.push({ name, slips: slipsMax + 1 });
  }
  near.sort((left, right) => left.slips - right.slips);
  return near.slice(0, most).map(({ name }) => name);
}

/**
 * Names of metrics or keys that a word may mean: the same, those that end with it, those a few
 * slips away, those with the same last part, then, for a word of one part, those with a last part a
 * few slips away.
 */
export function meantNames(word: string, names: Iterable<string>, most = 3): string[] {
  if (word === "") return [];
  const all = [...new Set(names)];
  const last = lastPart(word);
  const meant = [
    ...all.filter((name) => name === word),
    ...all.filter((name) => name.endsWith(`/${word}`) || name.endsWith(`.${word}`)),
    ...nearNames(word, all, most),
    ...all.filter((name) => lastPart(name) === last),
  ];
  if (last === word) {
    const byPart = Map.groupBy(all, lastPart);
    meant.push(...nearNames(word, byPart.keys(), most).flatMap((part) => byPart.get(part)!));
  }
  return [...new Set(meant)].slice(0, most);
}

/** The part of a name after its last slash or dot: `loss` of `val/loss`. */
function lastPart(name: string): string {
  return name.split(/[/.]/).at(-1)!;
}

/** Returns `; did you mean lossless experiments?`, or an empty text. */
export function didYouMean(
  word: string,
  names: Iterable<string>,
  shown: (name: string) => string = (name) => name,
): string {
  const near = nearNames(word, names).map(shown);
  return near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
}

/**
 * Counts letters omitted, inserted, replaced or swapped with a neighbour (optimal string
 * alignment).
 */
function slipsBetween(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isExchanged =
        left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current[column] = Math.min(
        last[column] + 1,
        current[column - 1] + 1,
        last[column - 1] + (isSame ? 0 : 1),
        isExchanged && row > 1 ? beforeLast[column - 2] + 1 : Infinity,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length];
}
