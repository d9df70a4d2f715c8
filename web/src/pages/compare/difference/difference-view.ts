/** Options of the comparing tables, all in the address. */
export interface DifferenceView {
  isEqualShown: boolean;
  isHiddenShown: boolean;
  /** Filter: a part of a key. */
  text: string;
}

type Parameter = (name: string) => string | undefined;

export function readDifferenceView(parameter: Parameter): DifferenceView {
  const shown = (parameter("keys") ?? "").split(",");
  return {
    isEqualShown: shown.includes("equal"),
    isHiddenShown: shown.includes("hidden"),
    text: parameter("key") ?? "",
  };
}

export function differenceParameters({ isEqualShown, isHiddenShown, text }: DifferenceView) {
  const shown = [isEqualShown && "equal", isHiddenShown && "hidden"];
  return { keys: shown.filter((one) => one !== false).join(), key: text };
}
