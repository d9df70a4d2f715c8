/** A missing value of an experiment. */
export function Missing() {
  return (
    <span class="missing" role="img" aria-label="missing">
      –
    </span>
  );
}
