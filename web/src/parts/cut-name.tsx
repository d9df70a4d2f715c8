import type { NamePart } from "./told-apart.ts";

interface Props {
  name: string;
  /** Its parts among the names of a list; undefined: it stands alone. */
  parts?: readonly NamePart[] | undefined;
}

/**
 * A name on one line. Parts that all names of a list have shrink first, and those by which they are
 * told apart last; of a name alone folders shrink first, which many names share, then the middle:
 * the ends differ in a sweep. Hidden from screen readers, as the element that it names has the
 * name.
 */
export function CutName({ name, parts }: Props) {
  const isCut = parts?.some(({ role }) => role !== "key") === true;
  return (
    <span class="cut-name" aria-hidden="true">
      {isCut ? parts.map((part) => <ListedPart {...part} />) : partsAlone(name)}
    </span>
  );
}

function ListedPart({ text, role }: NamePart) {
  if (role === "common") return <bdi class="soft">{text}</bdi>;
  return role === "key" ? <WithEnding text={text} /> : <bdi>{text}</bdi>;
}

function partsAlone(name: string) {
  const [folders] = /^.*\/(?=.)/su.exec(name) ?? [""];
  return (
    <>
      {folders !== "" && <bdi class="soft">{folders}</bdi>}
      <WithEnding text={name.slice(folders.length)} />
    </>
  );
}

/** A text whose end stays. */
function WithEnding({ text }: { text: string }) {
  const at = endingAt(text);
  return (
    <>
      {at > 0 && <bdi>{text.slice(0, at)}</bdi>}
      <bdi class="ending">{text.slice(at)}</bdi>
    </>
  );
}

/** Characters at the end of a name that stay, where no word begins near. */
const endingLength = 10;

/** Where the end begins: at the word nearest to ten characters from the end, if one is near. */
function endingAt(text: string): number {
  const away = (at: number) => Math.abs(text.length - at - endingLength);
  const words = [...text.matchAll(/(?<=[/_\s=.,:-])./gsu)].map(({ index }) => index);
  const [near] = words.filter((at) => away(at) <= 4).sort((one, other) => away(one) - away(other));
  if (near !== undefined) return near;
  const letters = Array.from(text);
  return letters.slice(0, Math.max(0, letters.length - endingLength)).join("").length;
}
