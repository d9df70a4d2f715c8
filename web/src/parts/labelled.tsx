import type { ComponentChildren } from "preact";

interface Props {
  label: string;
  hint?: string | undefined;
  children: ComponentChildren;
}

/** A form field with its label and a hint. */
export function Labelled({ label, hint, children }: Props) {
  return (
    <label class="field">
      {label}
      {hint !== undefined && <span class="soft"> {hint}</span>}
      {children}
    </label>
  );
}
