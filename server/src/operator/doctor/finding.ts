/** A finding of the doctor, with advice. */
export interface Finding {
  /** ok; advice: it works, and could be better; problem: it does not, or not for long. */
  state: "ok" | "advice" | "problem";
  /** Subject in a few words: `disk of the data directory`. */
  about: string;
  /** Observation, with the figure. */
  found: string;
  /** The change to make; absent where there is none. */
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
