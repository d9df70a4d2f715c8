/** The pictures among files that are pasted, dropped or chosen. */
export function picturesIn(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith("image/"));
}

/** Whether a paste is of a picture: programs that copy a text often add a picture of it. */
export function isOfPictures(data: DataTransfer | null): boolean {
  return picturesIn(data).length > 0 && (data?.getData("text/plain") ?? "") === "";
}

/** The words for a picture, from the name of its file: that of what is pasted says nothing. */
export function wordsOfFile(name: string): string {
  const words = name.replace(/\.\w+$/, "");
  if (words === "" || words === "image") return "picture";
  const plain = words.replaceAll("[", "(").replaceAll("]", ")").replaceAll("\\", "/");
  // Signs of code, formulas and HTML could find their other half behind the picture.
  return plain.replaceAll(/[`$<\s]+/g, " ").trim() || "picture";
}

/** Keeps the place of a picture that is being sent. */
export function placeholderOf(words: string, number: number): string {
  return `![sending ${words} (${number}) …]()`;
}

/** A text without the places of pictures that nobody sends any more. */
export function withoutPlaceholders(text: string): string {
  return text.replaceAll(/!\[sending [^\]]* \(\d+\) …\]\(\)/g, "");
}

/** A text with the picture in its place; undefined: it was refused. */
export function withPicture(
  text: string,
  placeholder: string,
  words: string,
  picture: string | undefined,
): string {
  return text.replace(placeholder, () =>
    picture === undefined ? "" : `![${words}](picture:${picture})`,
  );
}
