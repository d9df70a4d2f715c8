import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface Props {
  class: string;
  /** Label of the button that opens it. */
  name: string;
  children: ComponentChildren;
}

/** A row of controls, which a narrow screen hides behind a button to save room. */
export function Narrow({ class: kind, name, children }: Props) {
  const [isShown, setIsShown] = useState(false);
  return (
    <>
      <button
        type="button"
        class="narrow-button"
        aria-expanded={isShown}
        onClick={() => setIsShown(!isShown)}
      >
        {name} <span aria-hidden="true">▾</span>
      </button>
      <div class={`${kind} narrow`} data-shown={isShown}>
        {children}
      </div>
    </>
  );
}
