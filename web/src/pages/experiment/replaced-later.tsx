/** A person who edits should know what will not stay. */
export function ReplacedLater() {
  return (
    <p class="hint">
      A program that opens this experiment again replaces description and meta with its own.
    </p>
  );
}

/** Somebody else was faster: what they wrote is shown before it is replaced. */
export function Meanwhile({ text }: { text: string }) {
  return (
    <div role="alert">
      Somebody has changed it meanwhile; saved again, yours replaces this:
      <pre class="present">{text}</pre>
    </div>
  );
}
