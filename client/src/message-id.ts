/** Returns a fresh messageId: 128 random bits. Pages on plain HTTP have no `crypto.randomUUID`. */
export function freshMessageId(): string {
  return randomHex(16);
}

export function randomHex(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
