/** Folders, the middle, and the ten last characters. */
const nameParts = /^(.*\/(?=.))?(.*?)(.{0,10})$/su;

/**
 * A name on one line. What gives way first is what many names begin with, then the middle: ends
 * differ in a sweep. Whoever does not see it is told it by what it names.
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
