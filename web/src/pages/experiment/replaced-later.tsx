/** Warns people who edit that a later opening replaces the value. */
export function ReplacedLater() {
  return (
    <p class="hint">
      A program that opens this experiment again replaces description and meta with its own.
    </p>
  );
}

/** Shows another member's value before it is overwritten. */
export function PresentValue({ text }: { text: string }) {
  return (
    <div role="alert">
      The value has changed in the meantime. If you save again, yours replaces this one:
      <pre class="present">{text}</pre>
    </div>
  );
}
