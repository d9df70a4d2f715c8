import { pullCommand } from "../../parts/shell-word.ts";

/** A program or command that works with a version. */
export interface VersionProgram {
  name: string;
  text: string;
}

/** Programs that fetch a whole version from the service at this address. */
export function pullPrograms(url: string, artifact: string, version: string): VersionProgram[] {
  const directory = artifact.slice(artifact.lastIndexOf("/") + 1);
  const [name, folder, chosen, address] = [artifact, directory, version, url].map(literal);
  return [
    { name: "Command line", text: pullCommand(artifact, version) },
    {
      name: "Python",
      text: `import lossless

lossless.load_artifact(${name}, ${folder}, ${chosen}, url=${address})`,
    },
    {
      name: "TypeScript",
      text: `import { LosslessClient } from "@lossless/client";
import { pull } from "@lossless/client/files";

const apiKey = process.env.LOSSLESS_API_KEY!;
const client = new LosslessClient({ baseUrl: ${address}, apiKey });
await pull(client, { artifact: ${name}, version: ${chosen}, directory: ${folder} });`,
    },
  ];
}

/** A string literal, as JSON prints it, valid in both languages. */
function literal(text: string): string {
  return JSON.stringify(text);
}
