/** A label with a select; the address may name a value that is not in the list. */
export function Choose({
  label,
  title,
  value,
  options,
  onChoose,
}: {
  label: string;
  /** Absent: the selected text, which may be cut. */
  title?: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onChoose: (value: string) => void;
}) {
  const isKnown = options.some(([each]) => each === value);
  return (
    <label class="choose">
      {label}{" "}
      <select
        aria-label={label}
        title={title ?? options.find(([each]) => each === value)?.[1] ?? value}
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value)}
      >
        {!isKnown && <option value={value}>{value}</option>}
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
