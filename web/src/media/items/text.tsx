/** A text as it was logged, with its lines. */
export function TextView({ text, label }: { text: string; label: string }) {
  if (!text.includes("\n") && text.length <= 200) return <p class="logged-text">{text}</p>;
  return (
    <pre class="logged-text" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}
