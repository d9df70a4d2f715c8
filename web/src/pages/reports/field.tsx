import type { ComponentChildren } from "preact";

/** What is written of a block, with what it is called. */
export function Field({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <label class="field">
      {label}
      {children}
    </label>
  );
}
