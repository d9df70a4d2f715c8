import { ProtocolError } from "./errors.ts";

/**
 * Longest buffered line, in characters. Records of the service stay under 1 MiB; this bounds
 * memory.
 */
const lineCharactersMax = 16 * 1_048_576;

/**
 * Splits a byte stream into JSON values, one a line (stream rule 1: a record may span network
 * chunks). A last line without a newline counts when complete; a partial record is dropped, and the
 * reader notices the missing `done`.
 */
export async function* parseLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for await (const chunk of chunks) {
    const text = rest + decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      yield parseLine(text.slice(start, end));
      start = end + 1;
    }
    rest = text.slice(start);
    if (rest.length > lineCharactersMax)
      throw new ProtocolError("a line of the stream is too long");
  }
  const last = wholeValue(rest);
  if (last !== undefined) yield last;
}

function wholeValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new ProtocolError("a line of the stream is not JSON", { cause: error });
  }
}
