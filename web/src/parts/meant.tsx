interface Props {
  names: readonly string[];
  onChoose: (name: string) => void;
}

/** Existing names that may be meant; a click chooses one. Nothing is said where there are none. */
export function Meant({ names, onChoose }: Props) {
  if (names.length === 0) return null;
  return (
    <span class="meant">
      Did you mean{" "}
      {names.map((name, at) => (
        <>
          {at > 0 && (at === names.length - 1 ? " or " : ", ")}
          <button key={name} type="button" class="quiet" onClick={() => onChoose(name)}>
            <bdi>{name}</bdi>
          </button>
        </>
      ))}
      ?
    </span>
  );
}
