import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { Daemons } from "./daemons.ts";
import type { StoreCoordinates } from "./store.ts";

/** 3.36 and newer were not tried. */
export const azuriteVersion = "3.35.0";
export const azuriteProgram = join(
  import.meta.dirname,
  `../../node_modules/.cache/lossless-azurite-${azuriteVersion}`,
  "node_modules/azurite/dist/src/blob/main.js",
);

/**
 * Microsoft's emulator of blob storage, in memory. It takes tokens of Entra over TLS only, and
 * looks at what stands in them but at no signature; so it has a certificate of its own, and plain
 * http in front of that for our tests.
 */
export async function startAzurite(): Promise<StoreCoordinates & AsyncDisposable> {
  const daemons = await Daemons.in("azurite");
  const { directory } = daemons;
  const port = await freePort();
  const [certificate, key] = [join(directory, "certificate.pem"), join(directory, "key.pem")];
  const wanted = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"];
  const names = ["-addext", "subjectAltName=IP:127.0.0.1"];
  await daemons.run("openssl", ["req", ...wanted, ...names, "-keyout", key, "-out", certificate]);
  const listens = ["--blobHost", "127.0.0.1", "--blobPort", String(port), "--inMemoryPersistence"];
  const checks = ["--oauth", "basic", "--cert", certificate, "--key", key];
  // It would report its use to Microsoft otherwise.
  const quiet = ["--disableTelemetry", "--silent"];
  daemons.start("azurite", process.execPath, [azuriteProgram, ...listens, ...checks, ...quiet]);
  const server = createServer();
  const authority = await readFile(certificate);
  server.on("request", (request, response) => forward(request, response, port, authority));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await daemons.until("azurite answered", async () => (await fetch(origin)).status !== 502);
  return {
    name: "azurite",
    endpoint: `${origin}/${emulatorAccount}`,
    region: "none",
    pathStyle: true,
    accessKeyId: emulatorAccount,
    secretAccessKey: "",
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await daemons[Symbol.asyncDispose]();
    },
  };
}

/** The account that Azurite has without being told of any. */
const emulatorAccount = "devstoreaccount1";

/** As it came: what is signed stands in the address. */
function forward(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  authority: Buffer,
): void {
  const { method, url, headers } = request;
  const target = { hostname: "127.0.0.1", port, path: url, method, headers, ca: authority };
  const sent = requestHttps(target, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.rawHeaders);
    reply.pipe(response);
  });
  sent.once("error", () => {
    if (!response.headersSent) response.writeHead(502);
    response.end();
  });
  request.pipe(sent);
}
