/** What the service said to something, where it was done. */
export function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : <p role="alert">{text}</p>;
}
