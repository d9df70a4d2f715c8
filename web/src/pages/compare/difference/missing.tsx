/** What an experiment does not have. */
export function Missing() {
  return (
    <span class="missing" role="img" aria-label="missing">
      –
    </span>
  );
}
