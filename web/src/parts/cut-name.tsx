/** So much of its end is always seen. */
const endLetters = 9;

/**
 * A name on one line. Where it has no room its middle goes: names of a sweep differ at their ends.
 * What it names says it whole to who does not see it.
 */
export function CutName({ name }: { name: string }) {
  const letters = Array.from(name);
  const end = letters.splice(-endLetters).join("");
  return (
    <bdi class="cut-name">
      <span>{letters.join("")}</span>
      <span>{end}</span>
    </bdi>
  );
}
