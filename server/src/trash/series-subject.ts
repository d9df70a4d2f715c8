/** What a series in the trash is called there, among all of them. */
export function seriesSubject(experimentId: string, name: string): string {
  return `${experimentId}/${name}`;
}

/** No id has a slash. */
export function experimentOfSeries(subject: string): string {
  return subject.slice(0, subject.indexOf("/"));
}
