import { useEffect, useRef } from "preact/hooks";

/** Chooses the first of a list for somebody who has not chosen yet, once. */
export function useFirst<One>(
  isWanted: boolean,
  first: One | undefined,
  choose: (first: One) => void,
): void {
  const isDone = useRef(!isWanted);
  useEffect(() => {
    if (isDone.current || first === undefined) return;
    isDone.current = true;
    if (isWanted) choose(first);
  }, [first, isWanted]);
}
