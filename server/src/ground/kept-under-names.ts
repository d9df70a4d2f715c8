import { ServiceError } from "./errors.ts";

/** A record that people keep under a name and change one after the other: views, reports, rules. */
export interface NamedRecord {
  revision: number;
  name: string;
  changedAtMs: number;
  changedBy: string;
}

/**
 * Returns the stored record if it has the revision that the caller has seen; otherwise throws, so
 * that another member's change stays.
 */
export function requireSeen<One extends NamedRecord>(
  what: string,
  stored: One,
  revision: number,
): One {
  if (stored.revision === revision) return stored;
  const { name, changedAtMs, changedBy } = stored;
  const sentence = `${changedBy} has changed this ${what} since it was read; nothing was changed.`;
  const present = { revision: stored.revision, name, changedAtMs, changedBy };
  throw new ServiceError("conflict", sentence, { present });
}

/**
 * The error for a taken name. `whose`, as `of yours`, is empty where all names are the
 * organization's.
 */
export function nameTaken(what: string, whose: string): ServiceError {
  const sentence = `There is another ${what}${whose === "" ? "" : ` ${whose}`} with this name.`;
  return new ServiceError("conflict", sentence);
}

/** `who` with its verb: `An organization shares`. */
export function tooManyKept(who: string, most: number, what: string): ServiceError {
  const sentence = `${who} at most ${most} ${what}s; delete those that are not used.`;
  return new ServiceError("conflict", sentence);
}
