import type { RefObject } from "preact";
import { useRef } from "preact/hooks";

/**
 * Shows or hides a part of a chart. When hidden, the focus returns to where it was; for an element
 * of a closed menu that is the menu's button.
 */
export function useFocusAgain(
  figure: RefObject<HTMLElement | null>,
  show: (isShown: boolean) => void,
): (isShown: boolean) => void {
  const from = useRef<Element>(null);
  return (isShown) => {
    if (isShown) from.current = document.activeElement;
    else focusAgain(from.current, figure.current!);
    show(isShown);
  };
}

function focusAgain(from: Element | null, figure: HTMLElement): void {
  const menu = figure.querySelector<HTMLElement>(".menu");
  const isInMenu = from !== null && menu?.contains(from);
  const target = isInMenu ? menu!.querySelector<HTMLElement>("summary") : from;
  const isHere = target instanceof HTMLElement && figure.contains(target);
  (isHere ? target : figure.querySelector<HTMLElement>(".plot"))?.focus();
}
