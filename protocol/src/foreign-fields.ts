/** The field that another tracker's name for it means. */
export function foreignField(word: string): string | undefined {
  return fields.get(word.toLowerCase().replaceAll(/[^a-z]/g, ""));
}

/** Fields by the names that other trackers give them, in small letters without signs. */
const fields: ReadonlyMap<string, string> = new Map(
  Object.entries({
    tags: "tag",
    label: "tag",
    labels: "tag",
    runtime: "duration",
    runname: "name",
    displayname: "name",
    runid: "id",
    project: "folder",
    notes: "description",
    createdat: "created",
    starttime: "began",
    startedat: "started",
    updatedat: "updated",
    heartbeatat: "silent",
    jobtype: "meta._job_type",
    user: "meta._environment.user",
    username: "meta._environment.user",
    host: "meta._environment.host",
    hostname: "meta._environment.host",
  }),
);
