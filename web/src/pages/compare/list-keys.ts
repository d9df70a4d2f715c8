import type { Mark } from "./compare-address.ts";

/** Help for these keys. */
export const listKeys = [
  ["↑ ↓", "in the list of experiments: from one to another"],
  ["Space", "there: hide or show it"],
  ["o", "there: it alone"],
  ["r", "there: make it the reference"],
  ["a b", "there: put it into group A or B, or out of it"],
  ["Delete", "there: leave it out"],
  ["Enter", "there: open it"],
] as const;

/** An action of a key in the list of compared experiments. */
export type ListAction =
  | { kind: "go"; to: number }
  | { kind: "toggle" }
  | { kind: "alone" }
  | { kind: "refer" }
  | { kind: "mark"; mark: Mark }
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
    case "r":
      return { kind: "refer" };
    case "a":
    case "b":
      return { kind: "mark", mark: key };
    case "Delete":
    case "Backspace":
      return { kind: "remove" };
    case "Enter":
      return { kind: "open" };
    default:
      return undefined;
  }
}
