import { useState } from "preact/hooks";

interface Props {
  /** Undefined: the field is empty. */
  value: number | undefined;
  min: number;
  max?: number;
  /** Takes the whole number that was typed; undefined: none was. */
  onType: (value: number | undefined) => void;
}

/**
 * A field for a whole number, which is taken when the field is left or by Enter. Typed figures
 * stay while the page around it is drawn anew.
 */
export function TypedNumber({ value, min, max = Number.MAX_SAFE_INTEGER, onType }: Props) {
  const [typed, setTyped] = useState<string>();
  return (
    <input
      type="number"
      {...{ min, max }}
      step={1}
      value={typed ?? value ?? ""}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onChange={({ currentTarget }) => {
        setTyped(undefined);
        const given = Math.round(currentTarget.valueAsNumber);
        onType(Number.isNaN(given) ? undefined : Math.min(max, Math.max(min, given)));
      }}
    />
  );
}
