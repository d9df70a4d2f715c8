/** A refusal by the service, shown where the action was taken. */
export function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : <p role="alert">{text}</p>;
}
