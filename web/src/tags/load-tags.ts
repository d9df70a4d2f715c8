/** Loads the dialog of tags, which few visits open. */
export const loadTags = () => import("./tags-dialog.tsx").then(({ TagsDialog }) => TagsDialog);
