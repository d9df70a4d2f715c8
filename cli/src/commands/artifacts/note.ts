import { readFileSync, writeFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { CommandError, UsageError } from "../../command.ts";
import { clientOf, serviceCommand } from "../../connection.ts";
import { bytesText } from "../../output.ts";

export const get = serviceCommand({
  usage: "note get ARTIFACT NAME [--out FILE]",
  help: `
Prints the bytes of a note unchanged. With --json: {"artifact", "note", "base64"}.

  --out FILE         write them to a file instead`,
  options: { out: { type: "string" } },
  async run(invocation) {
    const { output, values, positionals } = invocation;
    const [artifact, note, ...more] = positionals;
    if (artifact === undefined || note === undefined || more.length > 0) {
      throw new UsageError("name an artifact and a note: lossless note get ARTIFACT NAME");
    }
    const content = await clientOf(invocation).artifacts.readNote(artifact, note);
    const path = values.text("out");
    if (path !== undefined) writeFileSync(path, content);
    else if (output.json) {
      output.answer({ artifact, note, base64: Buffer.from(content).toString("base64") }, () => "");
    } else await output.write(content);
  },
});

export const put = serviceCommand({
  usage: "note put ARTIFACT NAME FILE|-",
  help: `
Stores a file, or with - the standard input, as a note of the artifact: at most 64 KiB, any bytes. It replaces a note of
this name. The name has letters, digits, dots, underscores and hyphens.
`,
  async run(invocation) {
    const [artifact, note, path, ...more] = invocation.positionals;
    if (artifact === undefined || note === undefined || path === undefined || more.length > 0) {
      throw new UsageError(
        "name an artifact, a note and a file: lossless note put ARTIFACT NAME FILE",
      );
    }
    const content = path === "-" ? await buffer(process.stdin) : contentOf(path);
    await clientOf(invocation).artifacts.writeNote(artifact, note, new Uint8Array(content));
    const bytes = content.length;
    invocation.output.answer({ artifact, note, bytes }, () => `${note}: ${bytesText(bytes)}`);
  },
});

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CommandError(`cannot read ${path}: ${(error as Error).message}`);
  }
}
