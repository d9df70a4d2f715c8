/** The title of a chart; without one it is called like its metrics. */
export function TitleField({
  title,
  onChange,
}: {
  title: string;
  onChange: (title: string) => void;
}) {
  return (
    <label>
      Title{" "}
      <input
        value={title}
        maxLength={128}
        placeholder="the metrics"
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
