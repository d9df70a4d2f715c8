import type { Mark } from "./compare-address.ts";

/** Help for these keys. */
export const listKeys = [
  ["↑ ↓", "in the list of experiments: move between them"],
  ["Space", "in the list: hide or show the experiment"],
  ["o", "in the list: show only the experiment"],
  ["O", "in the list: show only the experiments that the search finds"],
  ["r", "in the list: make the experiment the baseline"],
  ["a b", "in the list: add the experiment to group A or B, or remove it from the group"],
  ["c", "in the list: choose the experiment's colour"],
  ["Delete", "in the list: remove the experiment from the comparison"],
  ["Enter", "in the list: open the experiment"],
] as const;

/** An action of a key in the list of compared experiments. */
export type ListAction =
  | { kind: "go"; to: number }
  | { kind: "toggle" }
  | { kind: "alone" }
  | { kind: "found" }
  | { kind: "refer" }
  | { kind: "mark"; mark: Mark }
  | { kind: "colour" }
  | { kind: "remove" }
  | { kind: "open" };

/** The action of a key; undefined for other keys. The focus is on one line of `count`. */
export function listActionOf(key: string, at: number, count: number): ListAction | undefined {
  switch (key) {
    case "ArrowDown":
    case "j":
      return { kind: "go", to: Math.min(at + 1, count - 1) };
    case "ArrowUp":
    case "k":
      return { kind: "go", to: Math.max(at - 1, 0) };
    case "Home":
      return { kind: "go", to: 0 };
    case "End":
      return { kind: "go", to: count - 1 };
    case " ":
      return { kind: "toggle" };
    case "o":
      return { kind: "alone" };
    case "O":
      return { kind: "found" };
    case "r":
      return { kind: "refer" };
    case "a":
    case "b":
      return { kind: "mark", mark: key };
    case "c":
      return { kind: "colour" };
    case "Delete":
    case "Backspace":
      return { kind: "remove" };
    case "Enter":
      return { kind: "open" };
    default:
      return undefined;
  }
}
