/** Loads the choice of groups, which most experiments have no use for. */
export function loadGroupChoices() {
  return import("./group-choices.tsx").then(({ GroupChoices }) => GroupChoices);
}
