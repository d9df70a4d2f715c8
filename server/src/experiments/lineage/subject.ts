/** A version of an artifact by name; it need not exist any more. */
export interface NamedVersion {
  artifact: string;
  version: string;
}

/** Returns the column `subject`: names of versions have no `@`. */
export function subjectOf({ artifact, version }: NamedVersion): string {
  return `${artifact}@${version}`;
}

export function namedIn(subject: string): NamedVersion {
  const at = subject.lastIndexOf("@");
  return { artifact: subject.slice(0, at), version: subject.slice(at + 1) };
}
