import type { ComponentChildren } from "preact";

interface Props {
  label: string;
  hint?: string | undefined;
  children: ComponentChildren;
}

/** A field of a form with its name, and what is to be known of it. */
export function Labelled({ label, hint, children }: Props) {
  return (
    <label class="field">
      {label}
      {hint !== undefined && <span class="soft"> {hint}</span>}
      {children}
    </label>
  );
}
