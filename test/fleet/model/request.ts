/** A batch of points, which keeps its ids however often it is sent. */
export interface Request {
  experiment: number;
  points: number;
  bytes: number;
  /** When it was due: what had to wait for the one before it waits here, too. */
  dueS: number;
  attempts: number;
  /** Whether a commit has it. A repetition is recognised by its ids. */
  isStored: boolean;
}

/** A batch is acknowledged, refused for now (503 with Retry-After), or the client hears nothing. */
export type Answer = "stored" | "busy" | "broken";

export type Send = (request: Request, answer: (answer: Answer) => void) => void;
