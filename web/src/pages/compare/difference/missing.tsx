/** A missing value of an experiment. */
export function MissingValue() {
  return (
    <span class="missing" role="img" aria-label="missing">
      –
    </span>
  );
}
