/** A text is like a pattern as the queries' SQL says it: letters A to Z without regard to case. */
export function isLike(text: string, pattern: string): boolean {
  const whole = lower(text);
  const [first, ...parts] = lower(pattern).split(/\*+/);
  const last = parts.pop();
  if (last === undefined) return whole.includes(first);
  if (!whole.startsWith(first)) return false;
  let end = first.length;
  for (const part of parts) {
    const at = whole.indexOf(part, end);
    if (at < 0) return false;
    end = at + part.length;
  }
  return whole.length - last.length >= end && whole.endsWith(last);
}

/** As `lower` of both databases has it. */
function lower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
