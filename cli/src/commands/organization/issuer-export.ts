import { join } from "node:path";
import { type Command, CommandError, onlyPositional } from "../../command.ts";
import { PartialFiles, writeAtomically } from "../../export/write-atomically.ts";
import { serviceUrl } from "../../login/credential.ts";
import { loginFilePath, readLogin } from "../../login/login-file.ts";
import { countedText } from "../../output.ts";

const configurationPath = ".well-known/openid-configuration";
const keysPath = ".well-known/jwks.json";
const timeoutMs = 20_000;

export const exportIssuer: Command = {
  usage: "issuer export DIR",
  help: `
Writes the two public documents of the running service's token issuer as files for a static site:
DIR/${configurationPath} and DIR/${keysPath}. Publish them
below the address that the service has as --issuer-url. They hold no secret.

  --url U            address of the service (LOSSLESS_URL; where you signed in; http://127.0.0.1:7070)`,
  options: { url: { type: "string" } },
  async run(invocation) {
    const directory = onlyPositional(invocation, "directory");
    const url = serviceUrl(invocation, readLogin(loginFilePath(invocation.environment)));
    const configuration = await fetchDocument(`${url}/${configurationPath}`);
    const keys = await fetchDocument(`${url}/${keysPath}`);
    const { issuer, jwks_uri: keysAddress } = configuration.value;
    if (typeof issuer !== "string" || keysAddress !== `${issuer}/${keysPath}`) {
      throw new CommandError(`${url} is not a token issuer of Lossless`);
    }
    const set = keys.value["keys"];
    const ids = Array.isArray(set) ? set.map(({ kid }: { kid?: unknown }) => String(kid)) : [];
    if (ids.length < 2) throw new CommandError(`${url} publishes no keys`);
    const partials = new PartialFiles();
    const written: string[] = [];
    // The keys first: a copy of the directory made meanwhile has no document without its keys.
    for (const [path, { text }] of [
      [keysPath, keys],
      [configurationPath, configuration],
    ] as const) {
      const file = join(directory, path);
      await writeAtomically(file, lines(text), { overwrite: true, partials });
      written.push(file);
    }
    if (!issuer.startsWith("https://")) {
      invocation.output.warning(
        `No cloud accepts the issuer ${issuer}: it has to be an https address. Start the service with --issuer-url ` +
          "https://..., then export again and publish the two files there.",
      );
    }
    const answer = { issuer, files: written.reverse(), keyIds: ids };
    invocation.output.answer(answer, () => publishing(issuer, url, written, ids));
  },
};

function publishing(
  issuer: string,
  url: string,
  [configuration, keys]: string[],
  ids: string[],
): string {
  const lines = [
    `wrote ${configuration}`,
    `wrote ${keys} (${countedText(ids.length, "key")}: ${ids.join(", ")})`,
    `publish them as ${issuer}/${configurationPath}`,
    `            and ${issuer}/${keysPath}`,
    "The set is valid for at least 90 days: it holds the key that signs now and the next one. Export and publish it",
    "again within that time, and before and after each lossless issuer rotate. The service does not use a key that is",
    "missing there: it goes on with the earlier key and warns in its log.",
  ];
  if (issuer === url) {
    lines.push(
      "This service publishes them itself at that address: copy nothing while clouds can reach it.",
    );
  }
  return lines.join("\n");
}

interface Document {
  text: string;
  value: Record<string, unknown>;
}

async function fetchDocument(address: string): Promise<Document> {
  let status: number;
  let text: string;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const reply = await fetch(address, { redirect: "error", signal });
    status = reply.status;
    text = await reply.text();
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
    throw new CommandError(`cannot fetch ${address}: ${reason}; is the service running there?`);
  }
  if (status !== 200) throw new CommandError(`${address} answers ${status}`);
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === "object" && value !== null) {
      return { text, value: value as Record<string, unknown> };
    }
  } catch {
    // Not JSON: a proxy's page, for instance.
  }
  throw new CommandError(`${address} is not a JSON document; is this the service?`);
}

async function* lines(text: string): AsyncIterable<string> {
  yield `${text}\n`;
}
