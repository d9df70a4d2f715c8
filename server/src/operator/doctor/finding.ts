/** What the doctor saw of one thing, and what to do about it. */
export interface Finding {
  /** ok; advice: it works, and could be better; problem: it does not, or not for long. */
  state: "ok" | "advice" | "problem";
  /** What was looked at, in a few words: `disk of the data directory`. */
  about: string;
  /** What was seen, with the figure. */
  found: string;
  /** What to change; absent where nothing is. */
  advice?: string;
}

export function ok(about: string, found: string): Finding {
  return { state: "ok", about, found };
}

export function advise(about: string, found: string, advice: string): Finding {
  return { state: "advice", about, found, advice };
}

export function problem(about: string, found: string, advice: string): Finding {
  return { state: "problem", about, found, advice };
}
