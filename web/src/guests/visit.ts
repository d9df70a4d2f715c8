import type { GuestVisit } from "@lossless/protocol";

/** The page that a guest link is about. */
export function homeOf({ kind, experimentIds, reportId }: GuestVisit): string {
  if (kind === "report") return `/reports/${reportId}`;
  return kind === "experiment"
    ? `/experiments/${experimentIds[0]}`
    : `/compare?e=${experimentIds.join(",")}`;
}

/** Whether a guest finds something at a path. */
export function isOfVisit({ experimentIds, reportId }: GuestVisit, path: string): boolean {
  const ofExperiments = experimentIds.map((id) => `/experiments/${id}`);
  return [...ofExperiments, "/compare", `/reports/${reportId}`].includes(path);
}
