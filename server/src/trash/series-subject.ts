/** Returns the subject of a series in the trash, unique among all experiments. */
export function seriesSubject(experimentId: string, name: string): string {
  return `${experimentId}/${name}`;
}

/** Returns the experiment's id in a subject; no id has a slash. */
export function experimentOfSeries(subject: string): string {
  return subject.slice(0, subject.indexOf("/"));
}
