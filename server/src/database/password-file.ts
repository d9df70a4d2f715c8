import { open } from "node:fs/promises";
import { DatabaseError } from "./database.ts";

/** Longer than what anybody calls a password: it is another file. */
const bytesMax = 4_096;

/**
 * The password that a file holds at this moment, without line ends behind it. Whoever rotates it
 * may have taken the file away for a moment. Throws DatabaseError, which never shows the content.
 */
export async function readPasswordFile(path: string): Promise<string> {
  const wrong = (what: string, cause?: unknown) =>
    new DatabaseError(
      "misconfigured",
      `The file ${path} (--database-password-file) ${what}.`,
      cause,
    );
  let text: string;
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytesMax + 1), 0, bytesMax + 1, 0);
    if (bytesRead > bytesMax) throw wrong("is too long for a password");
    text = buffer.toString("utf8", 0, bytesRead).replace(/[\r\n]+$/, "");
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw wrong(`cannot be read: ${code ?? "unknown error"}`, error);
  }
  if (text === "") throw wrong("is empty");
  if (/[\r\n\0]/.test(text)) throw wrong("must contain only the password, in one line");
  return text;
}
