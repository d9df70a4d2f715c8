import type { ComponentChildren } from "preact";

interface Props {
  /** Words for each setting that differs from the usual. */
  set: readonly string[];
  children: ComponentChildren;
}

/** The settings that most blocks leave as they are; closed, it says what is set in it. */
export function MoreSettings({ set, children }: Props) {
  return (
    <details class="more-settings whole">
      <summary>
        more settings
        {set.length > 0 && <span class="soft">: {set.join(", ")}</span>}
      </summary>
      <div class="block-fields">{children}</div>
    </details>
  );
}
