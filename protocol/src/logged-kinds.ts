/** Kinds of what a run logs beside numbers. Their places are their numbers in the database. */
export const loggedKinds = [
  "image",
  "audio",
  "video",
  "table",
  "histogram",
  "html",
  "plot",
  "plotly",
  "text",
] as const;
export type LoggedKind = (typeof loggedKinds)[number];
