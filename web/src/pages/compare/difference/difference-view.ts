/** What the tables of a comparison are asked to show, all of it in the address. */
export interface DifferenceView {
  isEqualShown: boolean;
  isHiddenShown: boolean;
  /** Part of a key. */
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
