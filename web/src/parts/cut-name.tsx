/** Folders, the middle, and the ten last characters. */
const nameParts = /^(.*\/(?=.))?(.*?)(.{0,10})$/su;

/**
 * A name on one line. Folders, which many names share, shrink first, then the middle: the ends
 * differ in a sweep. Hidden from screen readers, as the element that it names has the name.
 */
export function CutName({ name }: { name: string }) {
  const [, folders, middle, end] = nameParts.exec(name)!;
  return (
    <span class="cut-name" aria-hidden="true">
      {folders !== undefined && <bdi class="soft">{folders}</bdi>}
      {middle !== "" && <bdi>{middle}</bdi>}
      <bdi class="ending">{end}</bdi>
    </span>
  );
}
